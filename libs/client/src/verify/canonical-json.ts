const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * A JSON value as RFC 8785 text: members in the order of their names' UTF-16 code units, numbers and strings as ECMAScript writes them,
 * no white space. A member whose value is undefined is left out.
 * @throws TypeError on what JSON does not know: a number that is not finite, a lone surrogate, a function
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`JSON has no number ${value}`);
    return String(value);
  }
  if (typeof value === 'string') {
    if (LONE_SURROGATE.test(value)) throw new TypeError('a string holds a lone surrogate');
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError(`JSON has no ${typeof value}`);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    // The order of JavaScript's own comparison is that of code units.
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${canonicalJson(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
