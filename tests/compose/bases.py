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
from pathlib import Path
from typing import Final

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


def make_bases(engine: Engine, scratch: Path) -> None:
    """Have every base image, made first where it is absent: minutes, once a machine."""
    _import_debian(engine, scratch)
    wheels = {"wheels": _wheels()}
    _make(engine, scratch, _base_of("deploy/barograph/Dockerfile"), _PYTHON, wheels)
    parts = {"java": _java(), "libs": jars(), "bin": HERE / "kafka"}
    _make(engine, scratch, _base_of("deploy/kafka/Dockerfile"), _KAFKA, parts)


def _base_of(dockerfile: str) -> str:
    (name,) = re.findall(r"^FROM (\S+)$", (ROOT / dockerfile).read_text(), re.MULTILINE)
    return str(name)


def _import_debian(engine: Engine, scratch: Path) -> None:
    digest = _digest(_PACKAGES, SUITE)
    if _is_made(engine, _DEBIAN, digest):
        return
    tree = scratch / "debian"
    subprocess.run(
        ["debootstrap", "--variant=minbase", f"--include={_PACKAGES}", SUITE, tree, _mirror()],
        env={"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    with subprocess.Popen(["tar", "-C", tree, "-c", "."], stdout=subprocess.PIPE) as packed:
        assert packed.stdout is not None
        changes = ("-c", f"LABEL {_LABEL}={digest}")
        engine.docker("import", *changes, "-", _DEBIAN, stdin=packed.stdout.fileno())
    assert packed.returncode == 0
    shutil.rmtree(tree)


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
    return found is not None and (found["Config"]["Labels"] or {}).get(_LABEL) == digest


def _wheels() -> Path:
    """Those of the lock, for the Python that runs the tests."""
    return built_once("wheels", LOCK.read_bytes(), _download)


def _download(folder: Path) -> None:
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet")
    only = ("--require-hashes", "--only-binary", ":all:", "--no-deps", "-r", str(LOCK))
    subprocess.run([*pip, "download", *only, "--dest", str(folder)], check=True)


def _java() -> Path:
    program = shutil.which("java")
    assert program is not None
    return Path(program).resolve().parents[1]


def _digest(*of: str) -> str:
    return hashlib.sha256("\0".join(of).encode()).hexdigest()[:16]
