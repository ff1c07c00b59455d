"""Trees that no recursion survives are removed all the same; cgroups by their files."""

import os
from pathlib import Path

from runner.sandboxes.supervisor import removal


def test_a_tree_is_removed_whole(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("x")
    tree = tmp_path / "tree"
    for number in range(20):
        (tree / str(number) / "a" / "b").mkdir(parents=True)
        (tree / str(number) / "a" / "file").write_text("x")
    (tree / "link").symlink_to(outside)
    (tree / "1" / "a" / "link").symlink_to(outside)
    os.mkfifo(tree / "pipe")
    assert removal.remove_tree(str(tree)) == ""
    assert not tree.exists()
    assert (outside / "kept").exists()


def test_a_tree_deeper_than_any_stack(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    fd = os.open(tree, os.O_RDONLY)
    for _ in range(1100):
        os.mkdir("d", dir_fd=fd)
        os.close(os.open("f", os.O_CREAT, dir_fd=fd))
        inner = os.open("d", os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = inner
    os.close(fd)
    assert removal.remove_tree(str(tree)) == ""
    assert not tree.exists()


def test_nothing_there_is_no_problem(tmp_path: Path) -> None:
    assert removal.remove_tree(str(tmp_path / "missing")) == ""
    assert removal.remove_cgroups([str(tmp_path / "missing")], 0) == []
    assert removal.pids_below(str(tmp_path / "missing")) == []
    assert removal.kill_below(str(tmp_path / "missing"), 0) == []


def test_what_will_not_go_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert "Not a directory" in removal.remove_tree(str(tmp_path / "file"))
    (tmp_path / "full" / "inner").mkdir(parents=True)
    (tmp_path / "full" / "inner" / "x").write_text("x")
    problems = removal.remove_cgroups([str(tmp_path / "full")], 0)
    assert len(problems) == 2
    assert "not empty" in problems[0]


def test_pids_are_gathered_from_all_levels(tmp_path: Path) -> None:
    (tmp_path / "e1").mkdir()
    (tmp_path / "cgroup.procs").write_text("1\n2\n")
    (tmp_path / "e1" / "cgroup.procs").write_text("3\n")
    assert removal.pids_below(str(tmp_path)) == [1, 2, 3]


def test_a_pid_that_moved_on_is_not_killed(tmp_path: Path) -> None:
    (tmp_path / "cgroup.procs").write_text(f"{os.getpid()}\n")  # as if our pid were reused
    assert removal.kill_below(str(tmp_path), 0) == [os.getpid()]
