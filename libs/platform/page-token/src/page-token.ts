import type { z } from 'zod';

/** Longer than any token of ours. */
const TOKEN = /^[A-Za-z0-9_-]{1,800}$/;

/** Opaque text of a list of values: base64url of its JSON. It is not encrypted. */
export function writeToken(values: readonly (string | number | boolean | null)[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/** The values of a token that keeps to the schema; undefined for any other text, and for another spelling of the same values. */
export function readToken<Schema extends z.ZodType<readonly (string | number | boolean | null)[]>>(
  schema: Schema,
  token: string,
): z.output<Schema> | undefined {
  if (!TOKEN.test(token)) return undefined;
  const { success, data } = schema.safeParse(parseJson(Buffer.from(token, 'base64url').toString('utf8')));
  return success && writeToken(data) === token ? data : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
