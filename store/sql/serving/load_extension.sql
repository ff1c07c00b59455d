-- Load an extension from the file that its wheel brought.
LOAD $file
