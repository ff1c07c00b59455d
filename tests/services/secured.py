"""Brokers that ask who we are, and brokers that speak TLS."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.services.kafka import Kafka, free_port

_SCRAM = "listener.name.LISTENER.scram-sha-512.sasl.jaas.config"
_LOGIN_MODULE = "org.apache.kafka.common.security.scram.ScramLoginModule required;"


def guarded(folder: Path, users: Mapping[str, str]) -> Kafka:
    """A broker that lets in only users with a password; only ``admin`` may do anything."""
    return _with_logins(folder, users, "SASL_PLAINTEXT", {})


def secured(folder: Path, users: Mapping[str, str]) -> Kafka:
    """``guarded``, over TLS; whom to trust is in ``ca.pem`` of the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    certificate(folder, "ca")
    key, chain = certificate(folder, "broker", authority="ca")
    store = folder / "broker-store.pem"
    store.write_text(key.read_text() + chain.read_text())
    tls = {"ssl.keystore.type": "PEM", "ssl.keystore.location": str(store)}
    return _with_logins(folder, users, "SASL_SSL", tls)


def certificate(folder: Path, name: str, *, authority: str | None = None) -> tuple[Path, Path]:
    """Key and certificate of a machine that is 127.0.0.1; signed by itself, or by another."""
    key, made = folder / f"{name}.key", folder / f"{name}.pem"
    words = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}"]
    if authority is not None:
        words += [
            "-CA",
            str(folder / f"{authority}.pem"),
            "-CAkey",
            str(folder / f"{authority}.key"),
        ]
        words += ["-addext", "subjectAltName=IP:127.0.0.1"]
        words += ["-addext", "basicConstraints=critical,CA:FALSE"]
    done = subprocess.run(
        ["openssl", "req", *words, "-keyout", str(key), "-out", str(made)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return key, made


def _with_logins(
    folder: Path, users: Mapping[str, str], protocol: str, more: Mapping[str, str]
) -> Kafka:
    internal = free_port()
    return Kafka(
        folder,
        scram=users,
        settings={
            "listeners": f"{protocol}://127.0.0.1:PORT,INTERNAL://127.0.0.1:{internal},"
            "CONTROLLER://127.0.0.1:CONTROLLER",
            "advertised.listeners": f"{protocol}://127.0.0.1:PORT,INTERNAL://127.0.0.1:{internal}",
            "listener.security.protocol.map": f"{protocol}:{protocol},"
            "INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "inter.broker.listener.name": "INTERNAL",
            "sasl.enabled.mechanisms": "SCRAM-SHA-512",
            _SCRAM.replace("LISTENER", protocol.lower()): _LOGIN_MODULE,
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:admin;User:ANONYMOUS",
            **more,
        },
    )
