"""The explorer: a Streamlit app over the served store, for looking before computing.

``app`` is navigation only; each page is a module of ``views`` with one function ``render``;
each figure is a pure function of ``charts`` from rows to a chart; all data come through the
named queries of ``store.pages``. What pages share (address, frame, theme, downloads) is
here, so that two pages cannot show the same thing in two ways.
"""
