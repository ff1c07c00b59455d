"""What stands between an agent and the runner; agents act from outside of the sandbox.

``client`` is what an agent written in Python imports; ``bridge`` is the runner's side of
the socket between them; ``guard`` keeps an agent's process tree in hand; ``process``
starts an agent under it.
"""
