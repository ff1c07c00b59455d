"""The local driver, held to the suites of every sandbox driver."""

from pathlib import Path

from runner.sandboxes.port import Driver
from tests.conformance import ceiling_suite, copy_suite, sandbox_suite
from tests.integration.sandboxes.boxes import local_driver


class _Local:
    def make_driver(self, tmp_path: Path) -> Driver:
        return local_driver(tmp_path)


class TestCommands(_Local, sandbox_suite.CommandSuite):
    pass


class TestProcesses(_Local, sandbox_suite.ProcessSuite):
    pass


class TestCeilings(_Local, ceiling_suite.CeilingSuite):
    pass


class TestRequests(_Local, ceiling_suite.RequestSuite):
    pass


class TestUploads(_Local, copy_suite.UploadSuite):
    pass


class TestDownloads(_Local, copy_suite.DownloadSuite):
    pass
