"""The probe of this machine's cgroups, held to the suite (version 2: in the guest)."""

import pytest

from collector.probes.opening import open_probe
from collector.probes.port import Probe
from tests.cells import Cell
from tests.conformance.probe_suite import ProbeSuite


@pytest.mark.serial
@pytest.mark.root
@pytest.mark.kernel
class TestCgroupProbe(ProbeSuite):
    def open(self, target: Cell, *, ours: bool) -> Probe:
        return open_probe(target.folders, reset_peaks=ours)
