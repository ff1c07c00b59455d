"""What copying into and out of a sandbox must hold, for every driver."""

import os
import socket
from pathlib import Path

import pytest

from barograph.errors import InputError
from runner.sandboxes.errors import SandboxFailedError
from runner.sandboxes.port import Sandbox
from tests.conformance.sandbox_suite import MIB, SandboxSuite


class UploadSuite(SandboxSuite):
    @pytest.fixture
    def tree(self, tmp_path: Path) -> Path:
        tree = tmp_path / "tree"
        (tree / "deep" / "er").mkdir(parents=True)
        (tree / "test.sh").write_text("#!/bin/sh\necho ran\n")
        (tree / "test.sh").chmod(0o755)
        (tree / "deep" / "er" / "data").write_bytes(bytes(range(256)))
        (tree / "link").symlink_to("test.sh")
        (tree / "private").write_text("p")
        (tree / "private").chmod(0o600)
        return tree

    def test_tests_are_absent_until_they_are_uploaded(self, box: Sandbox, tree: Path) -> None:
        assert box.exec("ls -d /tests").exit_code != 0
        assert box.exec("mkdir /tests").exit_code != 0
        box.upload(tree, "/tests")
        assert box.exec("/tests/test.sh").stdout == b"ran\n"
        assert box.exec("/tests/link").stdout == b"ran\n"
        assert box.exec("cat /tests/deep/er/data").stdout == bytes(range(256))
        assert box.exec("touch /tests/new /tests/deep/new && cat /tests/private").stdout == b"p"
        assert box.exec("stat -c '%u %a' /tests/private").stdout == b"0 600\n"

    def test_folders_are_merged_and_files_replaced(self, box: Sandbox, tree: Path) -> None:
        box.exec("mkdir -p deep; echo old > deep/mine; echo old > test.sh; ln -s /etc/passwd link")
        box.upload(tree, "/app")
        assert box.exec("cat deep/mine; ./test.sh; readlink link").stdout == b"old\nran\ntest.sh\n"

    def test_a_file_goes_to_its_path(self, box: Sandbox, tree: Path) -> None:
        box.upload(tree / "test.sh", "/app/bin/run")
        assert box.exec("/app/bin/run").stdout == b"ran\n"

    def test_what_cannot_be_copied_is_refused(self, box: Sandbox, tmp_path: Path) -> None:
        with pytest.raises(InputError):
            box.upload(tmp_path / "missing", "/app")
        special = tmp_path / "special"
        special.mkdir()
        os.mkfifo(special / "pipe")
        with pytest.raises(InputError):
            box.upload(special, "/app")
        with pytest.raises(InputError):
            box.upload(special / "pipe", "/app/pipe")

    def test_what_cannot_be_written_is_the_drivers_failure(self, box: Sandbox, tree: Path) -> None:
        box.exec("echo file > /app/place")
        for inside in ("/app/place", "/usr/lib/mine", "/proc/sys"):
            with pytest.raises(SandboxFailedError):
                box.upload(tree, inside)
        assert box.exec("true").exit_code == 0

    def test_links_that_a_task_laid_lead_nowhere_else(self, box: Sandbox, tree: Path) -> None:
        box.exec("ln -s /etc /app/trap; ln -s /etc/passwd /app/test.sh; mkfifo /app/private")
        with pytest.raises(SandboxFailedError):
            box.upload(tree, "/app/trap/x")
        box.upload(tree, "/app")
        assert box.exec("/app/test.sh; cat /app/private").stdout == b"ran\np"


class DownloadSuite(SandboxSuite):
    def test_files_and_folders_come_out(self, box: Sandbox, tmp_path: Path) -> None:
        box.exec("mkdir -p /logs/verifier/a/b; echo 1 > /logs/verifier/reward.txt")
        box.exec("echo 2 > /logs/verifier/a/b/c; chmod 700 /logs/verifier/a/b/c")
        assert box.download("/logs/verifier/reward.txt", tmp_path / "deep" / "reward.txt")
        assert (tmp_path / "deep" / "reward.txt").read_text() == "1\n"
        assert box.download("/logs/verifier", tmp_path / "all")
        assert (tmp_path / "all" / "a" / "b" / "c").read_text() == "2\n"
        assert (tmp_path / "all" / "a" / "b" / "c").stat().st_mode & 0o777 == 0o700

    def test_what_is_absent_is_said(self, box: Sandbox, tmp_path: Path) -> None:
        assert not box.download("/logs/verifier/reward.txt", tmp_path / "reward.txt")
        assert not (tmp_path / "reward.txt").exists()

    def test_nothing_but_files_and_folders_comes_out(self, box: Sandbox, tmp_path: Path) -> None:
        script = (
            "import os, socket; os.mkdir('d'); os.chdir('d'); os.mkfifo('pipe'); "
            "socket.socket(socket.AF_UNIX).bind('sock'); os.symlink('/etc/passwd', 'link'); "
            "os.symlink('..', 'up'); open('good', 'w').write('g'); os.mkdir('shut'); "
            "open('shut/x', 'w'); os.chmod('shut', 0); open('none', 'w'); os.chmod('none', 0)"
        )
        assert box.exec(["python3", "-c", script]).exit_code == 0
        assert box.download("/app/d", tmp_path / "d")
        assert sorted(path.name for path in (tmp_path / "d").iterdir()) == ["good"]
        assert not box.download("/app/d/pipe", tmp_path / "pipe")

    def test_a_link_is_followed_inside_and_never_out(self, box: Sandbox, tmp_path: Path) -> None:
        outside = tmp_path / "outside"
        outside.write_text("the host's")
        box.exec(f"ln -s {outside} a; ln -s /etc/shadow b; echo in > c; ln -s c d")
        assert not box.download("/app/a", tmp_path / "a")
        assert not box.download("/app/b", tmp_path / "b")
        assert box.download("/app/d", tmp_path / "d")
        assert (tmp_path / "d").read_text() == "in\n"

    def test_what_is_too_much_is_cut_off(self, box: Sandbox, tmp_path: Path) -> None:
        box.exec("truncate -s 1T huge; mkdir many; cd many; seq 11000 | xargs touch")
        box.exec("python3 -c \"import os\nfor _ in range(200): os.mkdir('n'); os.chdir('n')\"")
        with pytest.raises(SandboxFailedError, match="bytes"):
            box.download("/app/huge", tmp_path / "huge", max_bytes=MIB)
        assert (tmp_path / "huge").stat().st_size == MIB
        with pytest.raises(SandboxFailedError, match="many"):
            box.download("/app/many", tmp_path / "many")
        with pytest.raises(SandboxFailedError, match="deep"):
            box.download("/app/n", tmp_path / "n")

    def test_exactly_as_much_as_allowed_comes_out(self, box: Sandbox, tmp_path: Path) -> None:
        box.exec("head -c 1000 /dev/zero > f")
        assert box.download("/app/f", tmp_path / "f", max_bytes=1000)
        with pytest.raises(SandboxFailedError):
            box.download("/app/f", tmp_path / "g", max_bytes=999)

    def test_a_place_that_cannot_be_written_is_our_failure(
        self, box: Sandbox, tmp_path: Path
    ) -> None:
        (tmp_path / "file").write_text("x")
        box.exec("echo 1 > f")
        with pytest.raises(SandboxFailedError):
            box.download("/app/f", tmp_path / "file" / "f")
        with socket.socket(socket.AF_UNIX) as held:
            held.bind(str(tmp_path / "s"))
            assert box.download("/app/f", tmp_path / "s")  # replaced, not written through
        assert (tmp_path / "s").read_text() == "1\n"
