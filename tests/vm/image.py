"""Builds, once a machine, the guest that the tests boot: Debian with Linux 6.12.

The host of a test run has whatever cgroup version it has; a second version, and a power
supply that may be cut, exist only in a virtual machine. Its parts come from the host's own
Debian mirror, by the host's own apt: a kernel (the newest 6.12 for clouds, which has ext4
built in), a minimal root file system with Python, and an initramfs of one driver. They are
kept outside of the checkout (``tests.caching``).

Nothing of the project is in the image (``payload.py`` brings that), so it is rebuilt only
when this file or the initramfs' init changes. Measured: 110 s to build, of which 75 s are
debootstrap's.
"""

import lzma
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.caching import built_once

HERE = Path(__file__).parent
INITRAMFS_INIT = HERE / "guest" / "initramfs-init.sh"
KERNEL_SERIES = "6.12"
PROGRAMS = ("apt-get", "cpio", "debootstrap", "dpkg-deb", "mke2fs", "qemu-system-x86_64")
ROOT_SIZE = "800M"
PACKAGES = "python3,kmod,iproute2"


class ImageError(Exception):
    """The guest could not be built; the message ends with what the failing tool said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """What qemu needs to boot: three files."""

    kernel: Path
    initramfs: Path
    root: Path


def missing_programs() -> list[str]:
    """Programs that building and booting need and this machine lacks."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    missing = [name for name in PROGRAMS if shutil.which(name, path=path) is None]
    return missing if _busybox() else [*missing, "busybox (static)"]


def image() -> Image:
    """The built image, built first where it is absent.

    Raises:
        ImageError: a step failed.

    """
    recipe = Path(__file__).read_bytes() + INITRAMFS_INIT.read_bytes()
    folder = built_once("vm", recipe, _build)
    return Image(
        kernel=folder / "vmlinuz", initramfs=folder / "initramfs.img", root=folder / "root.img"
    )


def _build(done: Path) -> None:
    scratch = done.parent
    kernel = _unpack_kernel(scratch / "kernel")
    tree = scratch / "tree"
    _debootstrap(tree)
    _trim(tree)
    (tree / "repo").mkdir()
    modules = next((kernel / "lib" / "modules").iterdir())
    shutil.copytree(modules, tree / "usr" / "lib" / "modules" / modules.name)
    _run("chroot", str(tree), "depmod", modules.name)
    _run("mke2fs", "-q", "-t", "ext4", "-d", str(tree), str(done / "root.img"), ROOT_SIZE)
    _write_initramfs(scratch / "initramfs", modules, done / "initramfs.img")
    shutil.copy(next((kernel / "boot").glob("vmlinuz-*")), done / "vmlinuz")


def _unpack_kernel(target: Path) -> Path:
    target.mkdir()
    name = _newest_kernel()
    if name is None:
        _run("apt-get", "-q", "update")
        name = _newest_kernel()
    if name is None:
        msg = f"apt knows no cloud kernel of the series {KERNEL_SERIES}"
        raise ImageError(msg)
    download = ("apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", name)
    try:
        _run(*download, cwd=target)
    except ImageError:
        _run("apt-get", "-q", "update")  # the known version has left the mirror
        _run(*download[:-1], _newest_kernel() or name, cwd=target)
    _run("dpkg-deb", "-x", str(next(target.glob("*.deb"))), str(target))
    return target


def _newest_kernel() -> str | None:
    found = _run("apt-cache", "search", "--names-only", f"^linux-image-{KERNEL_SERIES}").split("\n")
    names = [line.split(" ")[0] for line in found if "-cloud-amd64-unsigned" in line]
    return max(names, key=lambda name: [int(n) for n in re.findall(r"\d+", name)], default=None)


def _debootstrap(tree: Path) -> None:
    """The suite that the host runs, from the mirror that the host's apt uses."""
    release = Path("/etc/os-release").read_text()
    suite = re.search(r"^VERSION_CODENAME=(\w+)$", release, re.MULTILINE)
    if suite is None:
        msg = "/etc/os-release names no Debian suite"
        raise ImageError(msg)
    listed = _run("apt-get", "indextargets", "--format", "$(RELEASE) $(COMPONENT) $(REPO_URI)")
    for line in listed.splitlines():
        release, component, mirror = line.split(" ", 2)
        if (release, component) == (suite[1], "main"):
            _run(
                *("debootstrap", "--variant=minbase", f"--include={PACKAGES}"),
                *(suite[1], str(tree), mirror),
            )
            return
    msg = f"apt has no source for {suite[1]} main"
    raise ImageError(msg)


def _trim(tree: Path) -> None:
    """Take out what a guest that installs nothing never reads (and the mirror's address)."""
    for name in ("usr/share/doc", "usr/share/locale", "usr/share/man", "var/cache", "var/lib/apt"):
        shutil.rmtree(tree / name, ignore_errors=True)
    (tree / "etc/apt/sources.list").unlink(missing_ok=True)


def _write_initramfs(content: Path, modules: Path, target: Path) -> None:
    for name in ("bin", "dev", "new", "proc"):
        (content / name).mkdir(parents=True)
    busybox = _busybox()
    if busybox is None:
        msg = "no static busybox"
        raise ImageError(msg)
    shutil.copy(busybox, content / "bin" / "busybox")
    init = content / "init"
    shutil.copy(INITRAMFS_INIT, init)
    init.chmod(0o755)
    driver = next(modules.rglob("virtio_blk.ko*"))
    raw = driver.read_bytes()
    driver_raw = lzma.decompress(raw) if driver.suffix == ".xz" else raw
    (content / "virtio_blk.ko").write_bytes(driver_raw)
    files = "\n".join(str(path.relative_to(content)) for path in content.rglob("*"))
    packed = subprocess.run(
        ["cpio", "-o", "-H", "newc", "--quiet"],
        cwd=content,
        input=files.encode(),
        capture_output=True,
        check=True,
    )
    target.write_bytes(packed.stdout)


def _busybox() -> Path | None:
    path = Path("/bin/busybox")
    return path if path.exists() else None


def _run(*command: str, cwd: Path | None = None) -> str:
    environment = os.environ | {"PATH": os.environ.get("PATH", "") + ":/usr/sbin:/sbin"}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        tail = (done.stdout + done.stderr)[-2000:]
        msg = f"{' '.join(command)} ended with {done.returncode}:\n{tail}"
        raise ImageError(msg)
    return done.stdout
