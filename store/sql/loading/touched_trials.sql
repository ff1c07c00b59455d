-- Which trials are the staged lines about?
SELECT DISTINCT trial FROM incoming WHERE trial IS NOT NULL
