-- Have all memory in small made again: samples were deleted, which changes the numbers of the others.
DELETE FROM try_spark;
DELETE FROM spark_upto;
