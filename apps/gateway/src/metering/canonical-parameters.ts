import { createHash } from 'node:crypto';
import type { Input } from '../validation/request-validator';

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

/** SHA-256, base64url, of a call's parameters: defaults filled in, in one order whatever the order in which they were sent. */
export function parametersDigest({ query, path, body }: Pick<Input, 'query' | 'path' | 'body'>): string {
  return createHash('sha256').update(JSON.stringify(sorted({ query, path, body: body ?? null }))).digest('base64url');
}
