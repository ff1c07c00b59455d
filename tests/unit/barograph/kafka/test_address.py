"""An address of Kafka, and who we are: what is taken, and what is refused without a secret."""

from pathlib import Path

import pytest

from barograph.errors import BarographError, EnvironmentRefusal, InputError
from barograph.log.kafka.address import Brokers, Login

SECRET = "hunter2"  # noqa: S105 - to see that it is not repeated


@pytest.mark.parametrize(
    ("url", "servers", "topic"),
    [
        ("kafka:a:9092", ("a:9092",), "barograph.events"),
        ("kafka:a:9092,10.0.0.2:9093", ("a:9092", "10.0.0.2:9093"), "barograph.events"),
        ("kafka:[::1]:9092/lab.events", ("[::1]:9092",), "lab.events"),
    ],
)
def test_an_address_names_servers_and_a_topic(
    url: str, servers: tuple[str, ...], topic: str
) -> None:
    brokers = Brokers.of(url, {})
    assert (brokers.servers, brokers.topic) == (servers, topic)
    assert brokers.url == url
    assert (brokers.login, brokers.tls) == (None, None)


@pytest.mark.parametrize(
    "url",
    [
        "kafka:",
        "kafka:a",
        "kafka:a:",
        "kafka:a:0",
        "kafka:a:70000",
        "kafka:a:9092,",
        "kafka://a:9092",
        "kafka:a:9092/",
        "kafka:a:9092/..",
        "kafka:a:9092/a b",
        f"kafka:a:9092/{'x' * 250}",
        "pulsar:a:9092",
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(InputError):
        Brokers.of(url, {})


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(InputError, match="no user or password") as caught:
        Brokers.of(f"kafka:ada:{SECRET}@a:9092", {})
    assert SECRET not in str(caught.value)


def test_the_environment_says_who_we_are(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text(f"{SECRET}\n")
    environment = {
        "BAROGRAPH_KAFKA_USER": "ada",
        "BAROGRAPH_KAFKA_PASSWORD_FILE": str(file),
        "BAROGRAPH_KAFKA_CA_FILE": str(file),
    }
    brokers = Brokers.of("kafka:a:9092", environment)
    assert brokers.login == Login(user="ada", password=SECRET, mechanism="SCRAM-SHA-512")
    assert brokers.tls is not None
    assert brokers.tls.ca_file == file
    assert SECRET not in repr(brokers)
    assert "ada" not in brokers.url


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"USER": "ada"}, "PASSWORD_FILE"),
        ({"PASSWORD": SECRET}, "USER"),
        ({"USER": "ada", "PASSWORD": SECRET, "PASSWORD_FILE": "/x"}, "PASSWORD too"),
        ({"USER": "ada", "PASSWORD": SECRET, "MECHANISM": "PLAIN"}, "to be read on the way"),
        ({"USER": "ada", "PASSWORD": SECRET, "MECHANISM": "NTLM"}, "SCRAM-SHA-512"),
        ({"TLS": "perhaps"}, "yes nor no"),
        ({"TLS": "no", "CA_FILE": __file__}, "turned off"),
        ({"CERT_FILE": __file__}, "KEY_FILE"),
    ],
)
def test_what_does_not_go_together_is_refused(environment: dict[str, str], words: str) -> None:
    ours = {f"BAROGRAPH_KAFKA_{name}": value for name, value in environment.items()}
    with pytest.raises(InputError, match=words) as caught:
        Brokers.of("kafka:a:9092", ours)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("name", ["PASSWORD_FILE", "CA_FILE"])
def test_a_file_that_is_not_there_is_named(name: str) -> None:
    with pytest.raises(EnvironmentRefusal, match="/not/there") as caught:
        Brokers.of("kafka:a:9092", {f"BAROGRAPH_KAFKA_{name}": "/not/there"})
    assert isinstance(caught.value, BarographError)
    assert name in str(caught.value)
