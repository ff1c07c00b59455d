-- Tables of what collectors tell: samples, kills, final counters, hosts, and what could not be seen.

-- The final counters of each sandbox, by each reader that told them.
CREATE TABLE sandbox_destroyed (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    read_by VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    peak_bytes BIGINT,
    oom_kill_total BIGINT,
    oom_group_kill_total BIGINT,
    oom_total BIGINT,
    limit_hits_total BIGINT,
    cpu_usage_us BIGINT,
    cpu_periods BIGINT,
    cpu_throttled_periods BIGINT,
    cpu_throttled_us BIGINT,
    psi_memory_some_us BIGINT,
    psi_memory_full_us BIGINT,
    samples BIGINT
);

-- Every report of an OOM kill in a target; the view kill has one row a kill.
CREATE TABLE oom_kill (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    ordinal BIGINT NOT NULL,
    counter_before BIGINT NOT NULL,
    counter_after BIGINT NOT NULL,
    read_before_t_us BIGINT,
    read_after_t_us BIGINT,
    victim_pid BIGINT,
    victim_session_pid BIGINT,
    victim_comm VARCHAR,
    victim_rss_bytes BIGINT,
    victim_anon_bytes BIGINT,
    killed_t_us BIGINT,
    "constraint" VARCHAR,
    oom_cgroup VARCHAR,
    task_cgroup VARCHAR,
    victim_from VARCHAR,
    limit_bytes BIGINT
);

-- What each target used at each tick; columns and units are those of barograph.metrics.
CREATE TABLE sample (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    interval_us BIGINT,
    usage_bytes BIGINT,
    working_set_bytes BIGINT,
    anon_bytes BIGINT,
    peak_bytes BIGINT,
    peak_kind BIGINT,
    limit_bytes BIGINT,
    oom_delta BIGINT,
    oom_kill_delta BIGINT,
    psi_memory_some_us BIGINT,
    psi_memory_full_us BIGINT,
    psi_cpu_some_us BIGINT,
    psi_cpu_full_us BIGINT,
    psi_io_some_us BIGINT,
    psi_io_full_us BIGINT,
    cpu_usage_us BIGINT,
    cpu_periods BIGINT,
    cpu_throttled_periods BIGINT,
    cpu_throttled_us BIGINT,
    pids BIGINT,
    io_read_bytes BIGINT,
    io_write_bytes BIGINT,
    net_rx_bytes BIGINT,
    net_tx_bytes BIGINT,
    limit_hits BIGINT
);

-- Which machine each writer ran on.
CREATE TABLE host_info (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    host VARCHAR NOT NULL,
    cores BIGINT NOT NULL,
    memory_bytes BIGINT NOT NULL,
    kernel VARCHAR NOT NULL,
    cgroup_version BIGINT,
    psi BOOLEAN,
    swap_bytes BIGINT,
    cpu_model VARCHAR,
    virtualisation VARCHAR,
    cloud VARCHAR
);

-- How each host was at each tick.
CREATE TABLE host_sample (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    interval_us BIGINT,
    load1 DOUBLE,
    memory_available_bytes BIGINT,
    memory_total_bytes BIGINT,
    cpu_busy_us BIGINT,
    psi_memory_some_us BIGINT,
    psi_memory_full_us BIGINT,
    psi_cpu_some_us BIGINT,
    psi_io_some_us BIGINT,
    psi_io_full_us BIGINT,
    net_rx_bytes BIGINT,
    net_tx_bytes BIGINT,
    targets BIGINT,
    oom_kill_total BIGINT,
    disk_free_bytes BIGINT
);

-- OOM kills in cgroups that nobody asked to watch.
CREATE TABLE host_oom_kill (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    victim_pid BIGINT,
    victim_comm VARCHAR,
    victim_rss_bytes BIGINT,
    "constraint" VARCHAR,
    oom_cgroup VARCHAR,
    task_cgroup VARCHAR,
    kernel_us BIGINT
);

-- What each collector cost and wrote, interval by interval.
CREATE TABLE collector_self (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    interval_us BIGINT NOT NULL,
    cpu_us BIGINT NOT NULL,
    rss_bytes BIGINT,
    ticks BIGINT NOT NULL,
    targets BIGINT NOT NULL,
    lateness_max_us BIGINT NOT NULL,
    lateness_mean_us BIGINT NOT NULL,
    events_written BIGINT NOT NULL,
    samples_dropped BIGINT NOT NULL,
    open_files BIGINT
);

-- Which probes could not work, and why.
CREATE TABLE probe_unavailable (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    probe VARCHAR NOT NULL,
    reason VARCHAR NOT NULL
);

-- Which ticks could not be served in time.
CREATE TABLE tick_missed (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    first_tick BIGINT NOT NULL,
    ticks BIGINT NOT NULL,
    late_us BIGINT NOT NULL
);

-- Which samples were given up so that outcomes and kills could still be written.
CREATE TABLE samples_thinned (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    reason VARCHAR NOT NULL,
    ranges JSON NOT NULL,
    dropped BIGINT,
    first_t_us BIGINT,
    last_t_us BIGINT
);

-- When a wall clock moved against the monotonic one.
CREATE TABLE clock_stepped (
    source VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    t_us BIGINT NOT NULL,
    mono_us BIGINT NOT NULL,
    sweep VARCHAR,
    trial VARCHAR,
    try_no BIGINT,
    target VARCHAR,
    step_us BIGINT NOT NULL
);
