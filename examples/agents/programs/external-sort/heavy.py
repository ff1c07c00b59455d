"""Parse every payment into a record, sort the records, write them out."""

from typing import NamedTuple


class Payment(NamedTuple):
    number: str
    payee: str
    amount: str
    memo: str


with open("/app/payments.txt", encoding="utf-8") as source:
    lines = source.read().splitlines()
payments = [Payment(*line.split("|")) for line in lines]
payments.sort(key=lambda payment: (-float(payment.amount), payment.payee.casefold()))

text = "\n".join("|".join(payment) for payment in payments)
with open("/app/sorted.txt", "w", encoding="utf-8") as out:
    out.write(text + "\n")
