import type { Fault } from '@market-state/errors';
import type { z } from 'zod';

const TOKEN = /^[A-Za-z0-9_-]{1,800}$/;

/** Opaque, but not encrypted: base64url of the values' JSON. */
export function writeToken(values: readonly (string | number | boolean | null)[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/** Undefined unless the text is a canonical token that matches the schema. */
export function readToken<Schema extends z.ZodType<readonly (string | number | boolean | null)[]>>(
  schema: Schema,
  token: string,
): z.output<Schema> | undefined {
  if (!TOKEN.test(token)) return undefined;
  const { success, data } = schema.safeParse(parseJson(Buffer.from(token, 'base64url').toString('utf8')));
  return success && writeToken(data) === token ? data : undefined;
}

export function pageTokenFaults(token: string, position: unknown): Fault[] {
  if (token === '' || position !== undefined) return [];
  return [{ field: 'page_token', message: 'does not belong to this query', type: 'malformed' }];
}

/**
 * First `limit` of the found rows and the token of the next page, empty for the last. The query must ask for one row
 * more than `limit`.
 */
export function cutPage<Row>(found: readonly Row[], limit: number, tokenAfter: (last: Row) => string) {
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return { page, nextPageToken: found.length > limit && last !== undefined ? tokenAfter(last) : '' };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
