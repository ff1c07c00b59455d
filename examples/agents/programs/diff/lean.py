"""Let the standard library match the two drafts, and write what it says as edits."""

from difflib import SequenceMatcher

with open("/app/old.txt") as source:
    old = source.read().splitlines()
with open("/app/new.txt") as source:
    new = source.read().splitlines()

matcher = SequenceMatcher(None, old, new)
with open("/app/edits.txt", "w") as out:
    for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if tag == "equal":
            out.writelines("=\n" for _ in range(old_start, old_end))
            continue
        out.writelines("-\n" for _ in range(old_start, old_end))
        out.writelines(f"+{line}\n" for line in new[new_start:new_end])
