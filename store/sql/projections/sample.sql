-- What each target used at each tick; columns and units are those of barograph.metrics.
-- Lines of another version, without a source or short of values get no source, which the table refuses: the
-- loader then looks at each line of the batch.
INSERT INTO sample
SELECT
    CASE WHEN v = 1 AND source <> '' AND len(data) >= 25 THEN source END AS source,
    seq, t_us, mono_us, sweep, trial, "try" AS try_no, target,
    data[1] AS interval_us,
    data[2] AS usage_bytes,
    data[3] AS working_set_bytes,
    data[4] AS anon_bytes,
    data[5] AS peak_bytes,
    data[6] AS peak_kind,
    data[7] AS limit_bytes,
    data[8] AS oom_delta,
    data[9] AS oom_kill_delta,
    data[10] AS psi_memory_some_us,
    data[11] AS psi_memory_full_us,
    data[12] AS psi_cpu_some_us,
    data[13] AS psi_cpu_full_us,
    data[14] AS psi_io_some_us,
    data[15] AS psi_io_full_us,
    data[16] AS cpu_usage_us,
    data[17] AS cpu_periods,
    data[18] AS cpu_throttled_periods,
    data[19] AS cpu_throttled_us,
    data[20] AS pids,
    data[21] AS io_read_bytes,
    data[22] AS io_write_bytes,
    data[23] AS net_rx_bytes,
    data[24] AS net_tx_bytes,
    data[25] AS limit_hits
FROM read_ndjson(
    $lines,
    columns = {
        v: 'BIGINT', source: 'VARCHAR', seq: 'BIGINT', t_us: 'BIGINT', mono_us: 'BIGINT',
        sweep: 'VARCHAR', trial: 'VARCHAR', "try": 'BIGINT', target: 'VARCHAR',
        data: 'BIGINT[]'
    },
    records = 'true',
    compression = 'uncompressed',
    -- Small buffers stay in the processor's cache.
    maximum_object_size = 65536
);
