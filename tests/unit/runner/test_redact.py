"""No secret reaches a recorded command, whatever stands around it or cuts it."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.redact import COMMAND_CHARS, MARKER, Redactor

SHAPES = {
    "assignment": "export OPENAI_API_KEY={}",
    "quoted assignment": 'DB_PASSWORD="{} more words" ./run',
    "single quotes": "AWS_SECRET_ACCESS_KEY='{}' aws s3 ls",
    "spaced assignment": "github_token = {}",
    "json": '{{"client_secret": "{}", "x": 1}}',
    "yaml": "password: {}",
    "header": "curl -H 'Authorization: Bearer {}' https://example.org",
    "header of its own": 'curl -H "x-api-key: {}" https://example.org',
    "bearer alone": "echo Bearer {} | nc",
    "cookie": "curl -H 'Cookie: session={}; a=b'",
    "url": "git clone https://user:{}@example.org/r.git",
    "query": "curl 'https://example.org/?a=1&access_token={}&b=2'",
    "flag": "tool --auth-token {} go",
    "flag with equals": "tool --password={} go",
    "basic user": "curl -u user:{} https://example.org",
    "mysql": "mysql -u root -p{} db",
    "sshpass": "sshpass -p {} ssh host",
}

KNOWN_KEYS = (
    "sk-proj-" + "a1B2" * 8,
    "ghp_" + "a1B2c3" * 6,
    "github_pat_" + "a1B2c3" * 5,
    "glpat-" + "a1B2c3" * 4,
    "AKIA" + "A1B2C3D4" * 2,
    "xoxb-1234567890-abcdef",
    "hf_" + "aB3" * 10,
    "AIza" + "aB3" * 12,
    "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_secret_is_found_by_what_stands_around_it(shape: str) -> None:
    text = Redactor().text(shape.format("hunter2hunter2"))

    assert "hunter2" not in text
    assert MARKER in text


@pytest.mark.parametrize("key", KNOWN_KEYS)
def test_a_known_kind_of_key_is_found_anywhere(key: str) -> None:
    assert Redactor().text(f"python3 run.py {key} --fast") == f"python3 run.py {MARKER} --fast"


@pytest.mark.parametrize("end", ["-----END RSA PRIVATE KEY-----\nls", ""])
def test_a_private_key_goes_with_its_lines(end: str) -> None:
    text = f"cat <<E\n-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC\n{end}"

    assert "MIIEow" not in Redactor().text(text)
    assert "IBAAKC" not in Redactor().text(text)


@pytest.mark.parametrize(
    "command",
    [
        "python3 -m pytest -q tests/test_tokenizer.py",
        "sort -S 64M -o out.txt in.txt",
        "git log --author=me --oneline",
        "python3 fit.py --max-tokens 100 --passes=3",
        "awk -F: '{print $1}' /etc/passwd",
        "echo 'sk-ip this' > notes.txt",
        "cd /app && ls -la",
    ],
)
def test_plain_commands_are_left_alone(command: str) -> None:
    assert Redactor().text(command) == command


def test_a_value_that_is_known_is_found_without_any_pattern() -> None:
    redactor = Redactor(["correct horse", "correct horse battery", "short"])

    assert redactor.text("say correct horse battery, short") == f"say {MARKER}, short"


@settings(deadline=None)
@given(
    before=st.text(max_size=2 * COMMAND_CHARS),
    shape=st.sampled_from(sorted(SHAPES.values())),
    after=st.text(max_size=2 * COMMAND_CHARS),
)
def test_no_cut_leaves_half_a_secret(before: str, shape: str, after: str) -> None:
    secret = "Zq7" * 12
    command = f"{before}\n{shape.format(secret)}\n{after}"

    assert secret[:9] not in Redactor().command(command).text


@settings(deadline=None)  # long texts on a shared machine
@given(padding=st.integers(0, 200))
def test_no_secret_is_cut_where_the_examined_part_ends(padding: int) -> None:
    # A long private key shrinks to a marker, which pulls the far end into the record.
    key = f"-----BEGIN PRIVATE KEY-----\n{'A' * (15_800 + padding)}\n-----END PRIVATE KEY-----\n"
    command = f"{key}tool ghp_{'Zq7' * 12} {'x' * 500}"

    assert "Zq7" not in Redactor().command(command).text


@given(st.text())
def test_a_record_is_one_bounded_line_with_the_digest_of_the_whole(command: str) -> None:
    recorded = Redactor().command(command)

    assert len(recorded.text) <= COMMAND_CHARS
    assert recorded.text.isprintable()
    digest = hashlib.sha256(command.encode("utf-8", "surrogatepass")).hexdigest()
    assert recorded.digest == f"sha256:{digest}"


def test_what_is_cut_is_said_to_be() -> None:
    redactor = Redactor()

    assert not redactor.command("x" * COMMAND_CHARS).truncated
    assert redactor.command("x" * (COMMAND_CHARS + 1)).truncated
    assert redactor.command("x" * 1_000_000).truncated


def test_a_program_with_arguments_is_shown_as_one_command() -> None:
    assert Redactor().command(["python3", "a.py", "--token", "abc"]).text == (
        f"python3 a.py --token {MARKER}"
    )
