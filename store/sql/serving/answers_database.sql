-- Where answers wait to be fetched: in memory, beside the store.
ATTACH ':memory:' AS answers
