"""Comparison of recomputed packets with packet rows."""

DIGESTS = ("packet_id", "event_id", "input_digest", "policy_digest", "previous_lineage_digest", "packet_digest",
           "lineage_digest", "headline", "customer_next_step")


def differences(ours, theirs, path="$"):
    """(path, our value, their value) wherever two JSON values differ; `<absent>` stands for a missing member."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(set(ours) | set(theirs)):
            yield from differences(ours.get(key, "<absent>"), theirs.get(key, "<absent>"), f"{path}.{key}")
    elif isinstance(ours, list) and isinstance(theirs, list):
        for index in range(max(len(ours), len(theirs))):
            yield from differences(ours[index] if index < len(ours) else "<absent>",
                                   theirs[index] if index < len(theirs) else "<absent>", f"{path}[{index}]")
    elif isinstance(ours, bool) != isinstance(theirs, bool) or ours != theirs:
        yield path, ours, theirs


def row_differences(ours, theirs):
    """The names of row members that differ; then where the bodies do."""
    names = [name for name in DIGESTS if ours[name] != theirs.get(name)]
    return names, list(differences(ours["packet"], theirs.get("packet")))
