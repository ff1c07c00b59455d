"""Run trials under a stated condition, and say to the log what happened.

From the outside in: a *sweep file* (``sweeps``) names *tasks* (``tasks``), agents and
*conditions* (``conditions``); the *plan* (``plan``) is a pure function of them; a
*campaign* (``campaign``) works through what the log does not hold yet; one execution of
a trial is a *try* (``trial``), in a *sandbox* (``sandboxes``), by an agent that stands
outside of it (``agents``).

The runner never judges. It writes what was asked, what was applied and what happened;
verdicts are given elsewhere, from the log.
"""
