-- Table of verdicts, a cache: what one policy says of each ended try. No fact, so it may be emptied or
-- dropped at any time; whoever serves the store makes it again from evidence (store/judging.py), and
-- nothing else writes it. A try that has ended and has no row here is not judged yet.
CREATE TABLE IF NOT EXISTS judged_try (
    -- The try, as in evidence.
    sweep VARCHAR,
    trial VARCHAR NOT NULL,
    try_no BIGINT NOT NULL,
    task VARCHAR NOT NULL,
    agent VARCHAR NOT NULL,
    model VARCHAR,
    "condition" VARCHAR NOT NULL,
    attempt BIGINT NOT NULL,
    block BIGINT NOT NULL,
    host VARCHAR NOT NULL,
    stands BOOLEAN NOT NULL,
    outcome BOOLEAN NOT NULL,
    started_t_us BIGINT NOT NULL,
    finished_t_us BIGINT NOT NULL,
    duration_s DOUBLE NOT NULL,
    how VARCHAR NOT NULL,
    reward DOUBLE,
    passed BOOLEAN,
    spec_memory_bytes BIGINT,
    ceiling_bytes BIGINT,
    ceiling_multiple DOUBLE,
    parent_cap_bytes BIGINT,
    peak_bytes BIGINT,
    kills BIGINT NOT NULL,
    kill_phase VARCHAR,
    kill_command VARCHAR,
    kill_victim VARCHAR,
    -- The verdict.
    cause VARCHAR NOT NULL,
    family VARCHAR NOT NULL,
    confidence VARCHAR NOT NULL,
    counts_as VARCHAR NOT NULL,
    says VARCHAR NOT NULL,
    ceiling_kill BOOLEAN NOT NULL,
    also VARCHAR[] NOT NULL,
    -- A JSON list of {"fact", "value"}: what the verdict rests on.
    because JSON NOT NULL,
    -- By whom, and from what.
    policy VARCHAR NOT NULL,
    policy_version BIGINT NOT NULL,
    policy_digest VARCHAR NOT NULL,
    evidence_digest VARCHAR NOT NULL,
    -- Of the whole row of evidence, as the store writes it: what has another one is judged again.
    row_digest VARCHAR NOT NULL
);
