"""Sandboxes: where a trial's commands run, under a ceiling that is really there.

``port`` is the contract, ``capabilities`` what a driver can enforce, ``registry`` the
drivers by name. The local driver's parts: ``local`` speaks to one ``supervisor`` process
a sandbox, which holds its cgroups (``cgroups``) and its namespaces (``namespaces``).
"""
