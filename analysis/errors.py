"""What can go wrong between rows and results.

::

    AnalysisError
    ├── PolicyError    (InputError)      a policy file is wrong
    ├── EvidenceError  (AnalysisError)   a fact of a trial has the wrong type
    ├── RowsError      (AnalysisError)   rows contradict each other (one trial twice)
    ├── QuestionError  (InputError)      a condition, agent or reference that no row has
    └── NoTrialsError  (NotFoundError)   there is nothing to analyse yet

Too little data is *not* an error: a result then says ``insufficient`` or
``descriptive_only`` with its reasons, because "we cannot know this yet" is an answer.
"""

from barograph.errors import BarographError, InputError, NotFoundError


class AnalysisError(BarographError):
    """Root of this package's errors."""


class PolicyError(AnalysisError, InputError):
    """A policy file cannot be read, or says something the engine does not know."""


class EvidenceError(AnalysisError):
    """A fact has a type that its name does not allow; whoever built the evidence erred."""


class RowsError(AnalysisError):
    """Rows do not describe one sweep: the same trial twice, or an unknown outcome."""


class QuestionError(AnalysisError, InputError):
    """The question names a condition, agent or endpoint that the sweep does not have."""


class NoTrialsError(AnalysisError, NotFoundError):
    """No trial of the sweep has ended yet."""
