"""Numbers in, frozen results out; and verdicts, which are policies applied to evidence.

Nothing here reads a clock, a file of a sweep or a random source without a stored seed:
the same rows give the same result, byte for byte. ``dataset`` alone knows the store.

====================  ========================================================================
``dataset``           rows of a sweep from the store, judged and analysed
``verdicts``          why a trial ended as it did: policy, evidence, verdict
``rows``, ``cells``   one row a trial; counts by (model, agent, task, condition)
``grid``, ``arrays``  the same counts as arrays, cut into arms
``sweep_report``      ``analyse``: everything about the ceilings of one sweep
``failures``          failures by cause, phase, task and command
``rates``             Q1: scores and infra-error rates, four treatments of infra errors
``comparison``        Q2: two ceilings, or two agents; exact and sign-flip tests
``trend``             one test over all ceilings
``interaction``       does the gap between two agents, or their ranking, change?
``decomposition``     infra errors removed against new solves
``counterfactual``    would the killed trials have failed anyway?
``flips``             the tasks behind a mean
``result``            the record that every statistic returns
====================  ========================================================================

The tests themselves are in ``exact``, ``signflip`` and ``odds_ratio``, intervals in
``intervals``, standard errors in ``spread``. ``scipy.special`` is all that is imported of
scipy: with ``scipy.stats`` and ``statsmodels`` every answer would start by a second or
more of imports. Both are the oracles of the unit tests instead.
"""
