/** A body of JSON by the names of its fields. */
export type Body = Readonly<Record<string, unknown>>;
