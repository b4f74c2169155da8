import type { z } from 'zod';

/** Longer than any token of ours. */
const TOKEN = /^[A-Za-z0-9_-]{1,800}$/;

/** Opaque text of a list of values. */
export function writeToken(values: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/** The values of a token of ours, or undefined. */
export function readToken<Schema extends z.ZodType>(schema: Schema, token: string): z.output<Schema> | undefined {
  if (!TOKEN.test(token)) return undefined;
  const result = schema.safeParse(parseJson(Buffer.from(token, 'base64url').toString()));
  return result.success ? result.data : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
