"""The process that holds one local sandbox, and everything that is loaded into it.

One such process is started for every sandbox, hundreds a sweep on a machine that measures
what machines do to scores; so what is imported here must load in a few milliseconds. No
module of this package imports ``typing``, ``signal``, ``enum``, ``json``, ``socket``,
``pathlib``, ``dataclasses`` or ``contextlib`` (``farewell``, loaded after the runner's
death, may), nor any other package of this project: the driver imports this one.
"""
