"""A trial told in sentences, each with the events that it rests on.

``said`` is the value of a sentence, ``timeline`` tells what happened, ``memory`` what was
asked, applied and used, ``enough`` what ceiling would have been enough, ``trial`` puts them
together. Everything here is a pure function of the store's rows and a verdict: a story can be
told again, and tested, without a kernel.
"""
