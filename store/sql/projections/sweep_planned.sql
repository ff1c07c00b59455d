-- What was to be run: one plan a sweep.
INSERT INTO sweep_planned
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.name,
    d.digest,
    d.seed,
    d.trials,
    d.attempts,
    d.spec,
    d.product_version,
    d.harness,
    d.tasks,
    d.dataset,
    coalesce(d.timezone, 'UTC'),
    d.oom_scope,
    d.conditions,
    d.agents
FROM (
    SELECT *, json_transform(data, '{
        "name": "VARCHAR",
        "digest": "VARCHAR",
        "seed": "BIGINT",
        "trials": "BIGINT",
        "attempts": "BIGINT",
        "spec": "JSON",
        "product_version": "VARCHAR",
        "harness": "VARCHAR",
        "tasks": "JSON",
        "dataset": "VARCHAR",
        "timezone": "VARCHAR",
        "oom_scope": "VARCHAR",
        "conditions": "JSON",
        "agents": "JSON"
    }') AS d
    FROM incoming
    WHERE known AND type = 'sweep.planned'
);
