"""A task that tries to get out of its ceiling, into the journal, or at its neighbours."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.sandboxes.local import LocalDriver
from runner.sandboxes.local_sandbox import LocalSandbox
from runner.sandboxes.port import SandboxRequest
from tests.conformance.sandbox_suite import running
from tests.integration.sandboxes.boxes import MIB, context_in, local_driver

CEILING = 64 * MIB
MOUNT_AND_RAISE = (
    "mkdir -p m; mount -t cgroup -o memory none m && "
    "echo -1 > m/memory.limit_in_bytes && echo WROTE"
)


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[LocalDriver]:
    driver = local_driver(tmp_path)
    yield driver
    driver.close()


@pytest.fixture
def box(driver: LocalDriver) -> LocalSandbox:
    return driver.create(
        SandboxRequest(name="box", oom_scope="process", memory_ceiling_bytes=CEILING)
    )


def ceiling_in_force(box: LocalSandbox) -> int:
    memory = Path(box.standing.cgroups.get("memory", box.standing.cgroups.get("unified", "")))
    file = "memory.limit_in_bytes" if box.standing.cgroup_version == 1 else "memory.max"
    return int((memory / file).read_text())


def test_it_cannot_raise_its_own_ceiling(box: LocalSandbox) -> None:
    attempts = [
        "find /sys/fs/cgroup -name '*limit*' -exec sh -c 'echo 9000000000 > {} && echo WROTE' ';'",
        "find /sys/fs/cgroup -name '*max' -exec sh -c 'echo max > {} && echo WROTE' ';'",
        "for f in $(find /sys/fs/cgroup -name '*.procs'); do echo $$ > $f && echo WROTE; done",
        "mkdir /sys/fs/cgroup/memory/own /sys/fs/cgroup/own && echo WROTE",
        "mount -o remount,rw /sys/fs/cgroup/memory && echo WROTE",
        "mkdir -p m && mount -t cgroup -o memory none m && echo WROTE",
        "mkdir -p m && mount -t cgroup2 none m && echo WROTE",
        "unshare -Ur true && echo WROTE",
        f"unshare -UrmC sh -c '{MOUNT_AND_RAISE}'",
        "umount /sys/fs/cgroup/memory && echo WROTE",
    ]
    for attempt in attempts:
        assert b"WROTE" not in box.exec(attempt, timeout_s=30).stdout, attempt
    assert ceiling_in_force(box) == CEILING
    assert box.exec(["python3", "-c", "x = b'1' * (128 << 20)"]).signal == 9


def test_it_sees_neither_data_folder_nor_sockets(box: LocalSandbox, tmp_path: Path) -> None:
    journal = tmp_path / "data" / "journal"
    journal.mkdir(parents=True)
    (journal / "a.000000.jsonl").write_text("{}\n")
    (tmp_path / "data").chmod(0o777)
    journal.chmod(0o777)
    path = tmp_path / "data" / "run" / "collector.sock"
    with socket.socket(socket.AF_UNIX) as listening:
        os.chdir(path.parent)
        listening.bind("collector.sock")
        path.chmod(0o777)
        listening.listen()
        script = (
            "import socket, sys\n"
            f"for path in ({str(path)!r}, '/proc/1/root{path}', '/proc/1/cwd/x'):\n"
            "    try:\n"
            "        socket.socket(socket.AF_UNIX).connect(path)\n"
            "        print('REACHED', path)\n"
            "    except OSError as error:\n"
            "        print(error)\n"
        )
        assert b"REACHED" not in box.exec(["python3", "-c", script]).stdout
    for attempt in (f"ls {tmp_path}", f"echo x >> {journal}/a.000000.jsonl", "ls /proc/1/root/"):
        assert box.exec(attempt).exit_code != 0, attempt
    assert (journal / "a.000000.jsonl").read_text() == "{}\n"
    told = box.exec("cat /proc/self/mountinfo /proc/1/cmdline /proc/1/environ /proc/1/comm").stdout
    # What the root's mount is called on its disk cannot be hidden; nothing more is told.
    root = f"{tmp_path}/data/trials/box/root ".encode()
    assert str(tmp_path).encode() not in told.replace(root, b"")
    assert b"supervisor" not in told


def test_it_cannot_reach_its_neighbours_or_us(driver: LocalDriver, box: LocalSandbox) -> None:
    other = driver.create(SandboxRequest(name="other", oom_scope="process"))
    # Not before it has become ``sleep``: on a busy machine that takes its time.
    other.exec("sleep 306 > /dev/null 2>&1 & until grep -q sleep /proc/$!/comm; do :; done")
    pids = [os.getpid(), box.link.pid, other.link.pid, 1]
    inside = box.exec("kill -9 -1; for p in /proc/[0-9]*; do echo ${p#/proc/}; done; kill -9 1")
    seen = [int(line) for line in inside.stdout.split()]
    assert len(seen) <= 3  # init, the shell, perhaps a child
    script = (
        "import ctypes, os\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        f"for pid in {pids}:\n"
        "    if libc.ptrace(16, pid, 0, 0) == 0: print('TRACED', pid)\n"
        "try:\n"
        "    open('/proc/1/mem', 'rb'); print('OPENED')\n"
        "except OSError: pass\n"
    )
    result = box.exec(["python3", "-c", script])
    assert (result.exit_code, result.stdout) == (0, b"")
    assert running(other, "sleep 306") == 1
    assert box.exec("true").exit_code == 0
    assert box.death is None


def test_it_has_no_powers_over_the_machine(box: LocalSandbox) -> None:
    attempts = [
        "cat /etc/shadow",
        "echo 1 > /proc/sys/vm/drop_caches",
        "echo x > /proc/sys/kernel/hostname",
        "echo b > /proc/sysrq-trigger",
        "hostname other",
        "mount -t tmpfs none /tmp",
        "mknod /tmp/disk b 7 0",
        "mknod /tmp/mem c 1 1",
        "echo x > /dev/kmsg",
        "dmesg",
        "date -s 2001-01-01",
        "chroot / true",
        "nice -n -5 true | grep . || test $(nice -n -5 nice) = 0 && false",
        "echo -500 > /proc/self/oom_score_adj",
        "touch /usr/x || touch /etc/x || touch /x || touch /dev/x",
        "chown 1 /app",
        "setpriv --reuid 1 true",
        "ls /proc/1/root/ || ls /proc/1/fd/",
        "cat /proc/kcore /proc/1/maps",
        "python3 -c 'import os; os.setuid(1)'",
        "ping -c 1 -W 1 127.0.0.1 2>&1 | grep '1 received'",
    ]
    for attempt in attempts:
        result = box.exec(attempt, timeout_s=30)
        assert result.exit_code != 0, (attempt, result)


def test_it_inherits_no_descriptor(box: LocalSandbox) -> None:
    box.exec("sleep 310 & until grep -q sleep /proc/$!/comm; do :; done")
    result = box.exec(["python3", "-c", "import os; print(sorted(os.listdir('/proc/self/fd')))"])
    assert result.stdout == b"['0', '1', '2', '3']\n"  # the last one lists the folder


def test_it_cannot_slip_another_python_under_the_verifier(box: LocalSandbox) -> None:
    python = box.exec("command -v python3").stdout.decode().strip()
    parents = [str(parent) for parent in Path(python).parents][:-1]
    for parent in (python, *parents):
        box.exec(f"mv {parent} {parent}.gone; rm -rf {parent}; ln -s /bin/true {parent}")
    assert box.exec("command -v python3").stdout.decode().strip() == python
    assert box.exec("python3 -c 'print(1)'").stdout == b"1\n"


def test_a_deep_or_huge_tree_can_be_removed(driver: LocalDriver, tmp_path: Path) -> None:
    box = driver.create(SandboxRequest(name="deep", oom_scope="process"))
    script = (
        "import os\n"
        "for _ in range(3000):\n"
        "    os.mkdir('a'); os.mkdir('b'); os.chdir('a')\n"
        "os.chdir('/app'); os.mkdir('wide'); os.chdir('wide')\n"
        "for n in range(3000): os.close(os.open(str(n), os.O_CREAT, 0))\n"
        "os.chmod('/app/wide', 0)\n"
    )
    assert box.exec(["python3", "-c", script], timeout_s=120).exit_code == 0
    box.destroy()
    assert list(context_in(tmp_path).scratch.iterdir()) == []


def test_a_fork_bomb_can_be_destroyed(driver: LocalDriver) -> None:
    box = driver.create(SandboxRequest(name="bomb", oom_scope="process", pids_limit=200))
    box.exec("bomb() { bomb | bomb & }; bomb; trap '' TERM INT; exec > /dev/null", timeout_s=5)
    assert box.exec("bomb() { bomb | bomb & }; bomb; sleep 60", timeout_s=1).how == "timeout"
    box.destroy()


def test_background_floods_block_nobody(box: LocalSandbox) -> None:
    started = "until grep -q yes /proc/$!/comm; do :; done"
    for _ in range(3):
        box.exec(f"yes & {started}; yes >&2 & {started}", timeout_s=20)
    assert box.exec("echo done", timeout_s=20).stdout == b"done\n"
    assert running(box, "yes") == 6
