-- How many migrations were made on this store?
SELECT max(number) FROM store_format
