-- Leave no way to the outside but the loader's own feeds, and no way back. How many threads there are may
-- still be changed, by us: clients are let ask, not set.
SET python_enable_replacements = false;
SET allowed_paths = $paths;
SET enable_external_access = false;
SET max_temp_directory_size = $most_spilled;
SET GLOBAL quack_authorization_function = $function;
SET allowed_configs = ['threads'];
SET lock_configuration = true
