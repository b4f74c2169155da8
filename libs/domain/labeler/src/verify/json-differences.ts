/** One place where two JSON values differ. A value that is not there is undefined. */
export interface JsonDifference {
  /** JSON pointer (RFC 6901). */
  readonly path: string;
  readonly retained: unknown;
  readonly rederived: unknown;
}

/** The places where two JSON values differ, innermost, in the order of the names; list items are compared by their index. */
export function* jsonDifferences(retained: unknown, rederived: unknown, path = ''): Generator<JsonDifference> {
  if (!isBranch(retained) || !isBranch(rederived) || Array.isArray(retained) !== Array.isArray(rederived)) {
    if (!Object.is(retained, rederived)) yield { path, retained, rederived };
    return;
  }
  const names = Array.isArray(retained)
    ? Array.from({ length: Math.max(retained.length, (rederived as readonly unknown[]).length) }, (_unused, index) => String(index))
    : [...new Set([...Object.keys(retained), ...Object.keys(rederived)])].sort();
  for (const name of names) yield* jsonDifferences(member(retained, name), member(rederived, name), `${path}/${escaped(name)}`);
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
