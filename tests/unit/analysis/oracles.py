"""Other people's implementations, behind typed functions: what ours is compared with.

``statsmodels`` ships no types, so it is loaded as a module without any.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final, cast

import numpy as np
from scipy import stats

from analysis.arrays import Arm, FloatArray

_TABLES: Final = cast("Any", import_module("statsmodels.stats.contingency_tables"))
_MULTIPLE: Final = cast("Any", import_module("statsmodels.stats.multitest"))


def stratified_table(a: Arm, b: Arm) -> Any:  # noqa: ANN401 - no types to give
    """StratifiedTable of statsmodels with rows (b, a) and columns (event, none)."""
    counts = zip(a.x.ravel(), a.n.ravel(), b.x.ravel(), b.n.ravel(), strict=True)
    return _TABLES.StratifiedTable(
        [np.array([[xb, nb - xb], [xa, na - xa]]) for xa, na, xb, nb in counts]
    )


def mcnemar_exact(only_b: int, only_a: int) -> float:
    """Exact McNemar p-value of statsmodels from the discordant counts."""
    return float(_TABLES.mcnemar([[0, only_a], [only_b, 0]], exact=True).pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjustment by statsmodels."""
    return [float(p) for p in _MULTIPLE.multipletests(p_values, method="holm")[1]]


def signflip(differences: Sequence[int]) -> float:
    """Two-sided p of the mean by scipy's exact permutation test of paired samples."""
    result = stats.permutation_test(
        (np.asarray(differences, dtype=np.float64),),
        _mean,
        permutation_type="samples",
        n_resamples=2 ** len(differences) + 1,
        vectorized=True,
    )
    return float(result.pvalue)


def _mean(values: FloatArray, axis: int) -> FloatArray:
    return np.asarray(values.mean(axis=axis))
