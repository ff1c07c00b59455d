-- Tables of what runners tell: sweeps, trials, phases, commands, sandboxes. One table an event type, one column a field.

-- What was to be run: one plan a sweep.
CREATE TABLE sweep_planned (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    name VARCHAR NOT NULL,
    digest VARCHAR NOT NULL,
    seed BIGINT NOT NULL,
    trials BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    spec JSON NOT NULL,
    product_version VARCHAR NOT NULL,
    harness VARCHAR NOT NULL,
    tasks JSON NOT NULL,
    dataset VARCHAR,
    timezone VARCHAR NOT NULL,
    oom_scope VARCHAR,
    conditions JSON,
    agents JSON
);

-- Which campaign processes worked on a sweep, and when each began.
CREATE TABLE sweep_started (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    host VARCHAR NOT NULL,
    pid BIGINT NOT NULL,
    concurrency BIGINT NOT NULL,
    resumed BOOLEAN NOT NULL,
    trials_left BIGINT NOT NULL
);

-- When and why each campaign process ended.
CREATE TABLE sweep_finished (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    reason VARCHAR NOT NULL,
    trials_ended BIGINT NOT NULL,
    message VARCHAR
);

-- Which tries began, of which task, agent and condition.
CREATE TABLE trial_started (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    task VARCHAR NOT NULL,
    task_digest VARCHAR NOT NULL,
    agent VARCHAR NOT NULL,
    condition VARCHAR NOT NULL,
    attempt BIGINT NOT NULL,
    host VARCHAR NOT NULL,
    block BIGINT NOT NULL,
    model VARCHAR,
    spec_memory_bytes BIGINT,
    spec_cpu_cores DOUBLE,
    spec_from VARCHAR,
    memory_floor_multiple DOUBLE,
    memory_ceiling_multiple DOUBLE,
    seed BIGINT
);

-- When each phase of a try began, and its time limit.
CREATE TABLE phase_started (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    phase VARCHAR NOT NULL,
    limit_s DOUBLE
);

-- When and how each phase of a try ended.
CREATE TABLE phase_finished (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    phase VARCHAR NOT NULL,
    how VARCHAR NOT NULL,
    duration_s DOUBLE NOT NULL,
    message VARCHAR
);

-- Which commands ran in a sandbox, when, and how they ended.
CREATE TABLE exec_finished (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    phase VARCHAR NOT NULL,
    ordinal BIGINT NOT NULL,
    command VARCHAR NOT NULL,
    command_digest VARCHAR NOT NULL,
    command_truncated BOOLEAN NOT NULL,
    started_t_us BIGINT NOT NULL,
    duration_s DOUBLE NOT NULL,
    how VARCHAR NOT NULL,
    exit_code BIGINT,
    signal BIGINT,
    output_bytes BIGINT,
    pid BIGINT
);

-- How each try ended, in the raw words of its runner.
CREATE TABLE trial_finished (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    how VARCHAR NOT NULL,
    duration_s DOUBLE NOT NULL,
    rewards JSON,
    reward_key VARCHAR NOT NULL,
    verifier_ran BOOLEAN,
    verifier_exit BIGINT,
    verifier_error VARCHAR,
    timed_out_phase VARCHAR,
    sandbox_exit BIGINT,
    agent_exit BIGINT,
    exceptions JSON,
    tokens_in BIGINT,
    tokens_out BIGINT,
    cost_usd DOUBLE
);

-- What each sandbox was asked to hold to and what was really applied.
CREATE TABLE sandbox_created (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    driver VARCHAR NOT NULL,
    node VARCHAR NOT NULL,
    oom_scope VARCHAR NOT NULL,
    oom_scope_enforced_by VARCHAR NOT NULL,
    kernel VARCHAR NOT NULL,
    cgroup_version BIGINT,
    cgroup_path VARCHAR,
    image VARCHAR,
    image_digest VARCHAR,
    asked_memory_floor_bytes BIGINT,
    asked_memory_ceiling_bytes BIGINT,
    applied_memory_floor_bytes BIGINT,
    applied_memory_ceiling_bytes BIGINT,
    asked_cpu_floor_cores DOUBLE,
    asked_cpu_ceiling_cores DOUBLE,
    applied_cpu_floor_cores DOUBLE,
    applied_cpu_ceiling_cores DOUBLE,
    parent_cap_bytes BIGINT,
    pids_limit BIGINT,
    network VARCHAR,
    qos_class VARCHAR,
    cpu_model VARCHAR,
    flags JSON
);

-- Which states a sandbox went through, as its driver reports.
CREATE TABLE sandbox_state (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    state VARCHAR NOT NULL,
    reason VARCHAR,
    message VARCHAR,
    exit_code BIGINT,
    restart_count BIGINT
);
