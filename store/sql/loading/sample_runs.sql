-- Which runs of seqs did the samples hold that this transaction inserted? Rows of an open transaction
-- have row ids of their own range, without holes; where seq keeps step with them there is a run.
SELECT source, min(seq) AS first, max(seq) AS last, count(*) AS events
FROM sample
WHERE rowid >= 36028797018960000
GROUP BY source, seq - rowid
