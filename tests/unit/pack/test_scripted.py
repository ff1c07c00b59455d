"""The scripted agents' choices: a function of the seed, the same everywhere and for ever."""

from bench.pack.design import AGENTS, scripted, taste


def test_draws_are_those_of_splitmix() -> None:
    """Against the published sequence for seed 1234567 (Vigna's splitmix64.c)."""
    known = (6457827717110365317, 3203168211198807973, 9817491932198370423)
    draws = scripted().draws(1234567)
    assert [next(draws) for _ in known] == [one / 2**64 for one in known]


def test_a_plan_is_a_function_of_taste_and_seed() -> None:
    for agent in AGENTS:
        plans = [scripted().plan(taste(agent), seed) for seed in (3, 4, 3)]
        assert plans[0] == plans[2]
        assert plans[0] != plans[1]


def test_replies_take_as_long_as_a_models_would() -> None:
    for seed in range(200):
        replies_s = scripted().plan(taste("brute"), seed).replies_s
        assert all(0.5 <= wait <= 1.4 for wait in replies_s)
        assert len(replies_s) >= 6  # look, write, run, write, run, look


def test_large_and_negative_seeds_are_seeds() -> None:
    for seed in (0, -1, 2**63, 2**200):
        assert 0 <= next(scripted().draws(seed)) < 1
