"""The least that a page of Streamlit with a figure can be: the limit of the explorer's pages."""

import streamlit as st

st.title("One figure")
rows = [{"x": x, "y": x * x} for x in range(20)]
axes = {"x": {"field": "x", "type": "quantitative"}, "y": {"field": "y", "type": "quantitative"}}
spec = {"data": {"values": rows}, "mark": "line", "encoding": axes}
st.vega_lite_chart(spec=spec)  # pyright: ignore[reportUnknownMemberType] # types of pandas
