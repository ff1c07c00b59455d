-- Make room for all lines of a log. Of other sweeps' lines only the envelope is kept.
CREATE TABLE line (
    ordinal BIGINT NOT NULL,
    type VARCHAR NOT NULL,
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    sweep VARCHAR,
    text VARCHAR
);
-- Pieces of the log that are no events.
CREATE TABLE unreadable (
    stream VARCHAR NOT NULL,
    raw BLOB NOT NULL,
    source VARCHAR
);
