-- Tables of memory in small, a cache: each ended try's samples in slices of its time. No fact, so both may
-- be emptied or dropped at any time; whoever serves the store makes them again from samples
-- (store/sparks.py), and nothing else writes them. A try without a row here is read from its samples.
CREATE TABLE IF NOT EXISTS try_spark (
    trial VARCHAR NOT NULL,
    try_no BIGINT NOT NULL,
    -- The time that is cut: of a try whose beginning or end is another now, the row is made again.
    started_t_us BIGINT NOT NULL,
    finished_t_us BIGINT NOT NULL,
    -- The highest of each slice; NULL in it: no sample, or none with that number. NULL as a whole: no sample.
    usage_bytes BIGINT[],
    peak_bytes BIGINT[]
);

-- Samples that were in the store when the last of these rows was made: what came later may be about one.
CREATE TABLE IF NOT EXISTS spark_upto (
    samples BIGINT NOT NULL
);
