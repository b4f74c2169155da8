/** A parsed JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** The value that `text` holds; undefined when it is broken. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The object that `text` holds; undefined when it is broken or something else than an object. */
export function parseObject(text: string): Json | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An integer from 0 that a double holds exactly: times in milliseconds, ids. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
