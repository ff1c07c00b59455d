"""Write /app/payments.txt: payments with a memo, as people write them."""

import random

PAYMENTS = 42_000
PAYEES = [
    "Bäckerei Öz",
    "ABC Taxi",
    "abc taxi",
    "Zoë & Co",
    "Élan Vital",
    "STADTWERKE",
    "Straßenbau",
]
WORDS = "rent for the flat in May thanks again see you on Friday at the usual place".split()
FACES = "🍕🚕🏠🎉☕🎂📚🚲"

rng = random.Random(2718)
memos = []
for _ in range(400):
    said = " ".join(
        WORDS[int(len(WORDS) * rng.random())] for _ in range(9 + int(14 * rng.random()))
    )
    memos.append(f"{said} {FACES[int(8 * rng.random())]}")

with open("payments.txt", "w", encoding="utf-8") as out:
    for number in range(PAYMENTS):
        draw = int(rng.random() * 400 * 7 * 2_500)
        payee = PAYEES[draw % 7]
        out.write(
            f"{number:06}|{payee}|{draw // 7 % 2_500}.{draw % 100:02}|{memos[draw // 17_500]}\n"
        )
