-- How each try ended, in the raw words of its runner.
INSERT INTO trial_finished
SELECT
    source, seq, t_us, mono_us, sweep, trial, try_no, target,
    d.how,
    d.duration_s,
    d.rewards,
    coalesce(d.reward_key, 'reward'),
    d.verifier_ran,
    d.verifier_exit,
    d.verifier_error,
    d.timed_out_phase,
    d.sandbox_exit,
    d.agent_exit,
    d.exceptions,
    d.tokens_in,
    d.tokens_out,
    d.cost_usd
FROM (
    SELECT *, json_transform(data, '{
        "how": "VARCHAR",
        "duration_s": "DOUBLE",
        "rewards": "JSON",
        "reward_key": "VARCHAR",
        "verifier_ran": "BOOLEAN",
        "verifier_exit": "BIGINT",
        "verifier_error": "VARCHAR",
        "timed_out_phase": "VARCHAR",
        "sandbox_exit": "BIGINT",
        "agent_exit": "BIGINT",
        "exceptions": "JSON",
        "tokens_in": "BIGINT",
        "tokens_out": "BIGINT",
        "cost_usd": "DOUBLE"
    }') AS d
    FROM incoming
    WHERE known AND type = 'trial.finished'
);
