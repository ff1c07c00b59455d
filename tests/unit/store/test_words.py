"""What people say holds until they say something else; all of it stays in the tables."""

from dataclasses import dataclass, field

from barograph.codec import encode
from barograph.envelope import Belongs, Event
from barograph.facts import NoteAdded, Payload, VerdictOverridden
from store.database import Database
from store.reader import Reader
from store.rows import WordRow
from tests.stores import chunk, dump, empty_store, load
from tests.told import FINISHED, started


@dataclass
class Saying:
    """A log in which things happen to trials and people say something."""

    lines: list[bytes] = field(default_factory=list[bytes])

    def say(self, payload: Payload, trial: str | None = "t1", try_no: int | None = 1) -> "Saying":
        seq = len(self.lines)
        belongs = Belongs(sweep=None if trial is None else "s1", trial=trial, try_no=try_no)
        event = Event(
            source="p1", seq=seq, t_us=100 + seq, mono_us=seq, belongs=belongs, payload=payload
        )
        self.lines.append(encode(event)[:-1])
        return self

    def store(self) -> Database:
        database = empty_store()
        load(database, chunk(self.lines))
        return database

    def words(self) -> list[WordRow]:
        return Reader(self.store()).words()


def override(author: str, cause: str | None, text: str = "so") -> VerdictOverridden:
    return VerdictOverridden(
        author=author, text=text, cause=cause, counts_as=None if cause is None else "infra_error"
    )


def brief(words: list[WordRow]) -> list[tuple[str, str | None, bool]]:
    return [(word.author, word.cause, word.counts) for word in words]


def test_the_last_word_of_an_author_holds() -> None:
    said = Saying().say(override("ada", "network")).say(override("ada", "disk_full"))
    assert brief(said.words()) == [("ada", "disk_full", True)]


def test_authors_may_disagree_and_the_last_counts() -> None:
    said = Saying().say(override("ada", "network")).say(override("bob", "disk_full"))
    assert brief(said.words()) == [("ada", "network", False), ("bob", "disk_full", True)]


def test_what_was_taken_back_holds_no_more_and_stays_in_the_table() -> None:
    said = Saying().say(override("ada", "network")).say(override("bob", "disk_full"))
    said.say(override("bob", None))
    assert brief(said.words()) == [("ada", "network", True)]
    (held,) = said.store().ask("SELECT count(*) FROM verdict_overridden").rows
    assert held == (3,)


def test_tries_and_trials_are_told_apart() -> None:
    said = Saying().say(override("ada", "network")).say(override("ada", "disk_full"), try_no=2)
    said.say(override("ada", "oom_host"), trial="t2")
    assert brief(said.words()) == [
        ("ada", "network", True),
        ("ada", "disk_full", True),
        ("ada", "oom_host", True),
    ]


def test_all_notes_of_an_author_hold() -> None:
    said = (
        Saying().say(NoteAdded(author="ada", text="one")).say(NoteAdded(author="ada", text="two"))
    )
    assert [word.text for word in said.words()] == ["one", "two"]


def test_a_trial_is_told_with_the_words_on_its_host_and_its_time() -> None:
    said = Saying().say(started()).say(FINISHED)  # on h1, from 100 to 101
    wanted = [
        NoteAdded(author="a", text="its host", host="h1"),
        NoteAdded(author="a", text="its time", from_t_us=0, to_t_us=100),
        NoteAdded(author="a", text="both", host="h1", from_t_us=101, to_t_us=900),
    ]
    others = [
        NoteAdded(author="a", text="another host", host="h2"),
        NoteAdded(author="a", text="another host then", host="h2", from_t_us=0, to_t_us=900),
        NoteAdded(author="a", text="before", from_t_us=0, to_t_us=99),
        NoteAdded(author="a", text="its host, later", host="h1", from_t_us=102, to_t_us=900),
    ]
    for payload in [*wanted, *others]:
        said.say(payload, trial=None, try_no=None)
    said.say(NoteAdded(author="a", text="itself"), try_no=None)
    said.say(NoteAdded(author="a", text="another"), trial="t2")
    story = Reader(said.store()).story("t1")
    assert [word.text for word in story.words] == ["its host", "its time", "both", "itself"]


def test_a_running_trial_has_the_words_on_what_is_now() -> None:
    said = Saying().say(started())
    said.say(NoteAdded(author="a", text="now", from_t_us=10**15, to_t_us=10**16), None, None)
    assert [word.text for word in Reader(said.store()).story("t1").words] == ["now"]


def test_words_of_a_sweep_leave_out_other_sweeps_trials() -> None:
    said = Saying().say(override("ada", "network"))
    said.say(NoteAdded(author="a", text="host", host="h1"), None, None)
    reader = Reader(said.store())
    assert [word.text for word in reader.words("s1")] == ["so", "host"]
    assert [word.text for word in reader.words("s2")] == ["host"]


def test_words_are_the_same_however_they_are_loaded() -> None:
    text = 'it\'s "quoted"\n\t\0 محرك 🐢 \\ $trial'
    said = Saying().say(started()).say(override("ada", "network", text))
    said.say(NoteAdded(author="ada", text=text, host=text), None, None).say(override("ada", None))
    whole = dump(said.store(), but=["log_position"])
    parts = empty_store()
    start = 0
    for line in said.lines:
        one = chunk([line], start=start)
        load(parts, one)
        start = one.end
    assert dump(parts, but=["log_position"]) == whole
    assert [word.text for word in Reader(parts).words()] == [text]


def test_hosts_are_those_of_trials_and_collectors() -> None:
    assert Reader(Saying().say(started()).store()).hosts() == ["h1"]
