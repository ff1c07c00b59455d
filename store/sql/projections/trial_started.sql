-- Which tries began, of which task, agent and condition.
INSERT INTO trial_started
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.task,
    d.task_digest,
    d.agent,
    d.condition,
    d.attempt,
    d.host,
    d.block,
    d.model,
    d.spec_memory_bytes,
    d.spec_cpu_cores,
    d.spec_from,
    d.memory_floor_multiple,
    d.memory_ceiling_multiple,
    d.seed
FROM (
    SELECT *, json_transform(data, '{
        "task": "VARCHAR",
        "task_digest": "VARCHAR",
        "agent": "VARCHAR",
        "condition": "VARCHAR",
        "attempt": "BIGINT",
        "host": "VARCHAR",
        "block": "BIGINT",
        "model": "VARCHAR",
        "spec_memory_bytes": "BIGINT",
        "spec_cpu_cores": "DOUBLE",
        "spec_from": "VARCHAR",
        "memory_floor_multiple": "DOUBLE",
        "memory_ceiling_multiple": "DOUBLE",
        "seed": "BIGINT"
    }') AS d
    FROM incoming
    WHERE known AND type = 'trial.started'
);
