/** Names of the fields of `T` that may be shown: `true` for a value or a list of values, a list of one for a list of objects. */
export type FieldsOf<T> = T extends readonly (infer Item)[]
  ? Item extends object
    ? readonly [FieldsOf<Item>]
    : true
  : T extends object
    ? { readonly [Key in keyof T]?: FieldsOf<NonNullable<T[Key]>> }
    : true;

/** `T` with nothing but the fields named in `Fields`. */
export type Allowed<T, Fields> = T extends null | undefined
  ? T
  : Fields extends true
    ? T
    : Fields extends readonly [infer Inner]
      ? T extends readonly (infer Item)[]
        ? readonly Allowed<Item, Inner>[]
        : never
      : { readonly [Key in keyof Fields & keyof T]: Allowed<T[Key], Fields[Key]> };

function isValue(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function pick(value: unknown, fields: unknown): unknown {
  if (fields === true) {
    if (Array.isArray(value)) return value.filter(isValue);
    return isValue(value) ? value : undefined;
  }
  if (Array.isArray(fields)) return Array.isArray(value) ? value.map((item: unknown) => pick(item, fields[0])) : undefined;
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  if (value === null) return null;
  const entries = Object.keys(fields as object).map(
    (name) => [name, pick((value as Record<string, unknown>)[name], (fields as Record<string, unknown>)[name])] as const,
  );
  return Object.fromEntries(entries.filter(([, picked]) => picked !== undefined));
}

/**
 * The fields of an object that a list names, and no others: a new field stays out until it is listed, and where a value or a list of
 * values is listed, an object is left out too.
 */
export function allowedFields<T extends object, const Fields extends FieldsOf<T>>(value: T, fields: Fields): Allowed<T, Fields> {
  return pick(value, fields) as Allowed<T, Fields>;
}
