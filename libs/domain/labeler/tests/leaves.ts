/** Elements of these arrays are distinguished by this field; elements of others are pooled. */
const KEYS: Readonly<Record<string, string>> = {
  compute_lanes: 'lane_id',
  candidate_states: 'state',
  rejected_states: 'state',
};

/** Every leaf of a JSON value with its path. Empty arrays and objects are leaves. */
export function* leavesOf(value: unknown, path = ''): Generator<readonly [string, unknown]> {
  if (Array.isArray(value)) {
    if (value.length === 0) yield [`${path}[]`, '[]'];
    const key = KEYS[path.slice(path.lastIndexOf('.') + 1)];
    for (const item of value as readonly unknown[])
      yield* leavesOf(item, `${path}[${key === undefined ? '' : String((item as Record<string, unknown>)[key])}]`);
  } else if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value);
    if (members.length === 0) yield [path, '{}'];
    for (const [name, member] of members) yield* leavesOf(member, path === '' ? name : `${path}.${name}`);
  } else {
    yield [path, value];
  }
}

/** Paths with the same leaf in all values; a null that is elsewhere an object is not constant. */
export function constantLeaves(values: readonly unknown[]): readonly string[] {
  const seen = new Map<string, Set<string>>();
  for (const value of values) {
    const byPath = new Map<string, string[]>();
    for (const [path, leaf] of leavesOf(value)) byPath.set(path, [...(byPath.get(path) ?? []), JSON.stringify(leaf)]);
    for (const [path, leaves] of byPath) {
      seen.set(path, (seen.get(path) ?? new Set()).add(leaves.join(',')));
    }
  }
  const paths = [...seen.keys()];
  return [...seen]
    .filter(([path, held]) => held.size === 1 && !paths.some((other) => other.startsWith(`${path}.`)))
    .map(([path]) => path)
    .sort();
}
