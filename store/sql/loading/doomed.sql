-- Note which runs of seqs go now.
CREATE OR REPLACE TEMP TABLE doomed AS
SELECT
    unnest($owners::VARCHAR[]) AS source,
    unnest($firsts::BIGINT[]) AS first,
    unnest($lasts::BIGINT[]) AS last
