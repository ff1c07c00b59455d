"""One trial in words: what the page Trial says, below and beside its figures.

``facts`` gathers, ``pairs`` chooses whom to compare with, ``parts`` puts sentences on the
page, ``words`` takes what people say. Sentences themselves come from ``ui.stories``, which
the command line tells, too.
"""
