"""The base images that our Dockerfiles name, made here, because tests ask no registry for images.

They stand under the same names and have what the Dockerfiles use of them: ``python:...-bookworm``
is Debian bookworm with its Python, and ``apache/kafka`` the jars from Maven with Java and the two
programs that start them. In the Python image pip is told by its own configuration to take wheels
from a folder, where those of ``requirements/run.lock`` are: so the build needs no network, and
hashes are checked as anywhere.

An image is labelled with the digest of what it was made of, and made anew when that changes.
"""

import hashlib
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.caching import built_once
from tests.repo.tree import ROOT
from tests.services.docker import Engine
from tests.services.kafka import jars

HERE: Final = Path(__file__).parent
LOCK: Final = ROOT / "requirements" / "run.lock"
PROGRAMS: Final = ("apt-get", "debootstrap", "java", "mvn", "tar")
SUITE: Final = "bookworm"
_LABEL: Final = "barograph.made.of"
_PACKAGES: Final = "python3,python3-venv"
_DEBIAN: Final = "barograph-test-debian"
_PYTHON: Final = f"""\
FROM {_DEBIAN}
COPY wheels /wheels
RUN printf '[global]\\nno-index = true\\nfind-links = /wheels\\n' > /etc/pip.conf
"""
_UNUSED: Final = shutil.ignore_patterns("jmods", "src.zip")
_KAFKA: Final = f"""\
FROM {_DEBIAN}
COPY java /opt/java/openjdk
COPY libs /opt/kafka/libs
COPY bin /opt/kafka/bin
ENV PATH=/opt/java/openjdk/bin:$PATH
RUN useradd --uid 1000 --create-home appuser && install -d -o appuser /var/lib/kafka/data
USER appuser
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the images are made of; each from where its kind of thing comes from."""

    debian: Path
    """A tar archive of its root."""
    wheels: Path
    java: Path
    jars: Path


def parts() -> Parts:
    """All of it, fetched first where it is absent: minutes, once a machine.

    Ask before entering a network of one's own, in which nothing can be fetched.
    """
    program = shutil.which("java")
    assert program is not None
    return Parts(
        debian=built_once("debian", f"{SUITE} {_PACKAGES}".encode(), _bootstrap) / "root.tar",
        # For the Python that runs the tests: it is the oldest that is supported, and Debian's.
        wheels=built_once("wheels", LOCK.read_bytes(), _download),
        java=Path(program).resolve().parents[1],
        jars=jars(),
    )


def make_bases(engine: Engine, scratch: Path, of: Parts) -> None:
    """Have every base image, made first where it is absent."""
    digest = _digest(str(of.debian))
    if not _is_made(engine, _DEBIAN, digest):
        label = ("--change", f"LABEL {_LABEL}={digest}")
        engine.docker("import", *label, str(of.debian), _DEBIAN)
    name = _base_of("deploy/barograph/Dockerfile")
    _make(engine, scratch, name, _PYTHON, {"wheels": of.wheels})
    name = _base_of("deploy/kafka/Dockerfile")
    _make(engine, scratch, name, _KAFKA, {"java": of.java, "libs": of.jars, "bin": HERE / "kafka"})


def _base_of(dockerfile: str) -> str:
    (name,) = re.findall(r"^FROM (\S+)$", (ROOT / dockerfile).read_text(), re.MULTILINE)
    return str(name)


def _bootstrap(folder: Path) -> None:
    tree = folder.parent / "tree"
    subprocess.run(
        ["debootstrap", "--variant=minbase", f"--include={_PACKAGES}", SUITE, tree, _mirror()],
        env={"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    for name in ("usr/share/doc", "usr/share/locale", "usr/share/man", "var/cache", "var/lib/apt"):
        shutil.rmtree(tree / name, ignore_errors=True)
    subprocess.run(["tar", "-C", tree, "-cf", folder / "root.tar", "."], check=True)


def _mirror() -> str:
    """The one that the machine's apt uses for the suite."""
    listed = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(RELEASE) $(COMPONENT) $(REPO_URI)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = re.search(rf"^{SUITE} main (\S+)$", listed, re.MULTILINE)
    assert found is not None, f"apt has no source for {SUITE}"
    return found[1]


def _make(
    engine: Engine, scratch: Path, name: str, dockerfile: str, parts: dict[str, Path]
) -> None:
    files = [file for part in parts.values() for file in sorted(part.rglob("*")) if file.is_file()]
    told = [f"{file.name} {file.stat().st_size}" for file in files]
    debian = engine.looked_at("image", _DEBIAN)
    assert debian is not None
    digest = _digest(dockerfile, debian["Id"], *told)
    if _is_made(engine, name, digest):
        return
    context = scratch / "context"
    for part, folder in parts.items():
        # Followed, because Debian's Java keeps its settings elsewhere.
        shutil.copytree(folder, context / part, ignore=_UNUSED, ignore_dangling_symlinks=True)
    (context / "Dockerfile").write_text(dockerfile)
    engine.docker("build", "--label", f"{_LABEL}={digest}", "--tag", name, str(context))
    shutil.rmtree(context)


def _is_made(engine: Engine, name: str, digest: str) -> bool:
    found = engine.looked_at("image", name)
    return found is not None and f"{_LABEL}={digest}" in _labels(found)


def _labels(image: dict[str, Any]) -> set[str]:
    """Of an image, each as ``name=value``."""
    given: dict[str, str] | None = image["Config"]["Labels"]
    return {f"{name}={value}" for name, value in (given or {}).items()}


def _download(folder: Path) -> None:
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet")
    only = ("--require-hashes", "--only-binary", ":all:", "--no-deps", "-r", str(LOCK))
    subprocess.run([*pip, "download", *only, "--dest", str(folder)], check=True)


def _digest(*of: str) -> str:
    return hashlib.sha256("\0".join(of).encode()).hexdigest()[:16]
