"""Write /app/contacts.txt: people, with repeats that differ in case and spacing."""

PEOPLE = 72_000
SEED = 8  # of a congruential sequence; three pairs of these contacts share a CRC-32
FIRST = ["Ağca", "Björn", "Chloë", "Dorota", "Émile", "Fatima", "Gökçe", "Łukasz", "Iñaki", "Şule"]
LAST = ["Strauß", "Müller", "Ångström", "Dvořák", "O'Brien", "Sørensen", "García", "Weiß", "Kowal"]
PLACES = ["Łódź 🇵🇱", "Gießen 🇩🇪", "İzmir 🇹🇷", "Århus 🇩🇰", "Brno 🇨🇿", "Cork 🇮🇪", "Málaga 🇪🇸"]

names = [f"{first} {last}" for first in FIRST for last in LAST]
state = SEED

with open("contacts.txt", "w", encoding="utf-8") as out:
    for _person in range(PEOPLE):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        member = state >> 24
        name, place, repeat = names[member % 90], PLACES[member // 90 % 7], member // 630 % 90
        rest = f"<{member:010x}@mail.example.org> {place}\n"
        out.write(f"{name} {rest}")
        if repeat < 9:
            out.write(f" {name.upper()}  {rest.upper()}")
        elif repeat < 18:
            name = name.replace(" ", "\t ")
            out.write(f"{name} {rest}")
