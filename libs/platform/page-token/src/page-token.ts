import type { z } from 'zod';

const TOKEN = /^[A-Za-z0-9_-]{1,800}$/;

/** Encodes values as an opaque, unencrypted token: base64url of their JSON. */
export function writeToken(values: readonly (string | number | boolean | null)[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/** Decodes a token that matches the schema; undefined for any other text, including non-canonical encodings. */
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
