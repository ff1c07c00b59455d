-- Forget how far the loader was with sources of whom nothing is left.
DELETE FROM source_progress WHERE source IN (SELECT unnest($sources));
DELETE FROM gap WHERE source IN (SELECT unnest($sources));
