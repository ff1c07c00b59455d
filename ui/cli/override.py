"""``barograph override``: say that a verdict should be another one, and why."""

from typing import Annotated

import typer
from rich.console import Group
from rich.text import Text

from analysis.dataset import judge_try
from analysis.verdicts.engine import Verdict
from analysis.verdicts.reading import policy_v1
from barograph.envelope import Event
from barograph.folder import DEFAULT_FOLDER, DataFolder
from barograph.words import WordsError
from ui import tables, words
from ui.cli.config import Config
from ui.cli.options import AuthorOption, DirOption, JsonOption
from ui.cli.output import answer
from ui.cli.reading import asking
from ui.palette import DIM
from ui.stories.trial import COUNTS_AS


def override(
    trial: Annotated[
        str,
        typer.Argument(
            metavar="TRIAL", help="A trial's id or its first characters, or task/agent/ceiling/..."
        ),
    ],
    *,
    because: Annotated[str, typer.Option("--because", metavar="TEXT", help="Why, in a sentence.")],
    cause: Annotated[
        str | None,
        typer.Option(
            "--cause", metavar="CAUSE", help="What ended it: a cause of docs/verdicts.md."
        ),
    ] = None,
    withdraw: Annotated[
        bool, typer.Option("--withdraw", help="Take back what you said of this try.")
    ] = False,
    try_no: Annotated[
        int | None,
        typer.Option("--try", metavar="N", min=1, help="Of this try; else the one that counts."),
    ] = None,
    author: AuthorOption = None,
    folder: DirOption = DEFAULT_FOLDER,
    as_json: JsonOption = False,
) -> None:
    """Say what you think ended a trial; it is kept beside the policy's verdict.

    Numbers stay the policy's; 'report --with-overrides' shows what they would be. Said again by
    the same author, the last counts. Who may write is who can read run/write.token (exit code 4).
    """
    config = Config.of(folder, as_json=as_json)
    if (cause is None) != withdraw:
        raise WordsError(
            "one of the two is needed", field="--cause CAUSE or --withdraw", remedy="give one"
        )
    with asking(config, DataFolder.existing(config.folder)) as served:
        said = words.override(
            served.reader(),
            policy_v1(),
            trial=trial,
            try_no=try_no,
            cause=cause,
            text=because,
            author=author or words.login(),
        )
        event = served.append(said.payload, said.belongs)
    verdict = judge_try(policy_v1(), said.row)
    answer(config, "override", _content(said, event, verdict), _shown(said, verdict))


def _content(said: words.Override, event: Event, verdict: Verdict) -> dict[str, object]:
    return {
        "source": event.source,
        "seq": event.seq,
        "trial": said.trial.trial,
        "try_no": said.row.try_no,
        "author": said.payload.author,
        "cause": said.payload.cause,
        "counts_as": said.payload.counts_as,
        "text": said.payload.text,
        "policy_cause": verdict.cause,
        "policy_counts_as": verdict.counts_as,
    }


def _shown(said: words.Override, verdict: Verdict) -> Group:
    name = f"{said.trial.trial} ({said.trial.task}/{said.trial.agent}/{said.trial.condition})"
    word, cause = said.payload, verdict.cause
    first = f"{word.author} says {word.cause} of {name}; the policy says {cause}."
    if word.cause is None:
        back = f"{word.author} takes back what they said of {name}"
        first = f"{back}; the policy's {cause} stands alone."
    policys = f"It counts as {COUNTS_AS[verdict.counts_as]}, as the policy has it"
    return Group(
        tables.answer(first),
        Text(f"{policys}; 'barograph report --with-overrides' counts people's words.", style=DIM),
    )
