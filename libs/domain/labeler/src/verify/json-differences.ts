/** One place where two JSON values differ. A value that is not there is undefined. */
export interface JsonDifference {
  /** JSON pointer (RFC 6901). */
  readonly path: string;
  readonly left: unknown;
  readonly right: unknown;
}

/** The places where two JSON values differ, innermost, in the order of the names; list items are compared by their index. */
export function* jsonDifferences(left: unknown, right: unknown, path = ''): Generator<JsonDifference> {
  if (!isBranch(left) || !isBranch(right) || Array.isArray(left) !== Array.isArray(right)) {
    if (!Object.is(left, right)) yield { path, left, right };
    return;
  }
  const names = Array.isArray(left)
    ? Array.from({ length: Math.max(left.length, (right as readonly unknown[]).length) }, (_unused, index) => String(index))
    : [...new Set([...Object.keys(left), ...Object.keys(right)])].sort();
  for (const name of names) yield* jsonDifferences(member(left, name), member(right, name), `${path}/${escaped(name)}`);
}

function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function member(branch: object, name: string): unknown {
  return Object.hasOwn(branch, name) ? (branch as Readonly<Record<string, unknown>>)[name] : undefined;
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
