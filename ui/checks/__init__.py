"""What ``barograph doctor`` looks at: one question a function, none of which changes anything.

A check answers with what it found and, where that is not enough, with what to do about
it. ``fail`` means that sweeps cannot be run here, ``warn`` that something will be missing
from their results.
"""
