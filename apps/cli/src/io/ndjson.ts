import { canonicalJson } from '@market-state/labeler';

/** An object as a line that names its schema: RFC 8785, the names of its members in snake case. */
export function ndjsonLine(schema: string, content: object): string {
  return canonicalJson({ schema, ...(inSnakeCase(content) as object) });
}

function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [snakeCase(name), inSnakeCase(member)]));
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
