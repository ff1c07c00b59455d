"""The least that a page of Streamlit with a figure can be: the limit of the explorer's pages."""

import streamlit as st

st.title("One figure")
st.line_chart([x * x for x in range(20)])
