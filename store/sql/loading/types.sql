-- Which types are among the staged lines, and are there lines of types not known?
SELECT DISTINCT type, known FROM incoming
