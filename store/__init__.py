"""From the log to tables, and from tables to answers.

Everything here is a fold of the log and can be thrown away: ``loader`` reads chunks of
raw lines and projects them in SQL, exactly once; ``database`` opens the DuckDB file and
migrates it; ``reader`` answers named questions with typed rows; ``audit`` proves that log
and tables hold the same events. All SQL lies in ``store/sql``, one statement or one
migration a file, and each file begins with a sentence that says what it answers.
"""
