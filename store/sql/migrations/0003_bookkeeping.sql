-- Tables of the loader: how far it is, what is missing, what it could not read, and what it kept unread.

-- Where to go on in each stream of the log.
CREATE TABLE log_position (
    stream VARCHAR NOT NULL,
    next_offset BIGINT NOT NULL
);

-- One past the highest seq that was loaded of each source. UBIGINT: a seq may be 2^63 - 1.
CREATE TABLE source_progress (
    source VARCHAR NOT NULL,
    next_seq UBIGINT NOT NULL
);

-- Runs of seqs below next_seq that no stream had yet; a late record closes its gap.
CREATE TABLE gap (
    source VARCHAR NOT NULL,
    first BIGINT NOT NULL,
    last BIGINT NOT NULL
);

-- Pieces of the log that are no events, whole, with the reason. "part" counts bytes into the line at "offset".
CREATE TABLE dead_letter (
    stream VARCHAR NOT NULL,
    "offset" BIGINT NOT NULL,
    part BIGINT NOT NULL,
    reason VARCHAR NOT NULL,
    size_bytes BIGINT NOT NULL,
    raw BLOB NOT NULL,
    source VARCHAR,
    seq BIGINT
);

-- Events of types and versions that this version does not know, kept as they came.
CREATE TABLE unknown_event (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    v BIGINT NOT NULL,
    type VARCHAR NOT NULL,
    data JSON
);

-- Fields of known events that this version does not know; place is 'envelope' or 'data'.
CREATE TABLE unknown_field (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    place VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    value JSON
);
