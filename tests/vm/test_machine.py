"""The guest is what the other tests take it for: Linux 6.12, cgroup v2, PSI, namespaces."""

import json

import pytest

from tests.vm.machine import Machine

PEAK_PROGRAM = """
import json, os, subprocess
own = "/sys/fs/cgroup/peak-test"
os.mkdir(own)
spike = "x = bytearray(80 << 20); x[::4096] = bytes(len(x[::4096])); del x; input()"
child = subprocess.Popen(["python3", "-c", "input(); " + spike], stdin=subprocess.PIPE)
with open(own + "/cgroup.procs", "w") as procs:
    procs.write(str(child.pid))
fd, other = (os.open(own + "/memory.peak", os.O_RDWR) for _ in range(2))
def peak(of):
    return int(os.pread(of, 64, 0))
os.write(fd, b"r")
before = peak(fd)
child.stdin.write(b"\\n"); child.stdin.flush()
while peak(fd) < 80 << 20:
    pass
within = peak(fd)
while int(open(own + "/memory.current").read()) > 40 << 20:
    pass
os.write(fd, b"r")
print(json.dumps([before, within, peak(fd), peak(other)]))
child.kill(); child.wait()
os.rmdir(own)
"""


def test_it_runs_commands_and_tells_how_they_ended(machine: Machine) -> None:
    ran = machine.run("echo out; echo err >&2; exit 3")
    assert (ran.exit_code, ran.stdout, ran.stderr) == (3, "out\n", "err\n")


def test_a_command_past_its_time_is_killed(machine: Machine) -> None:
    ran = machine.run("sleep 600", timeout_s=0.5)
    assert ran.timed_out


def test_files_go_both_ways(machine: Machine) -> None:
    data = bytes(range(256)) * 400
    machine.put("/tmp/there/and/back", data)
    assert machine.get("/tmp/there/and/back") == data


def test_python_finds_the_working_tree_and_its_wheels(machine: Machine) -> None:
    ran = machine.run("python3 -c 'import barograph, msgspec, psutil; print(barograph.__file__)'")
    assert ran.stdout == "/repo/barograph/__init__.py\n", ran


@pytest.mark.parametrize(
    "file", ["memory.peak", "memory.pressure", "memory.events", "memory.oom.group", "cpu.stat"]
)
def test_a_cgroup_has_the_file(machine: Machine, file: str) -> None:
    ran = machine.run(f"d=/sys/fs/cgroup/files-{file}; mkdir $d && cat $d/{file}; rmdir $d")
    assert ran.exit_code == 0, ran


def test_peaks_are_reset_for_one_descriptor_only(machine: Machine) -> None:
    machine.put("/tmp/peak.py", PEAK_PROGRAM.encode())
    ran = machine.run("python3 /tmp/peak.py")
    before, within, after, lifetime = json.loads(ran.stdout or "[0,0,0,0]")
    mib = 1 << 20
    assert before < 40 * mib, ran
    assert within >= 80 * mib
    assert after < 60 * mib
    assert lifetime >= within


def test_namespaces_can_be_made(machine: Machine) -> None:
    ran = machine.run("unshare --user --map-root-user --mount --pid --fork --mount-proc id -u")
    assert ran.stdout == "0\n", ran


def test_orphans_are_reaped(machine: Machine) -> None:
    machine.run("(sleep 0.2 &) ; sleep 1")
    states = machine.run("cat /proc/[0-9]*/stat | grep -c ') Z ' || true")
    assert states.stdout == "0\n"


def test_the_kernel_log_can_be_read(machine: Machine) -> None:
    ran = machine.run("dd if=/dev/kmsg bs=8192 count=1")
    assert ran.exit_code == 0, ran
