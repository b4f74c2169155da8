import { z } from 'zod';

/** A field of the contract's type `string`: never empty. */
export const text = z.string().min(1);

/** A route: a path, with its query where it has one. */
export const route = z.string().regex(/^\/[a-z0-9_.{}/-]+(\?\S+)?$/i);

export const integer = z.int();

export const score = z.number();

/** RFC 3339 in UTC with milliseconds. */
export const utc = z.iso.datetime({ precision: 3 });

/** A list that has something to show. */
export function filled<T extends z.ZodType>(item: T): z.ZodArray<T> {
  return z.array(item).min(1);
}

/** An object that has these fields, and may have more. */
export const fields = z.looseObject;

export const anyObject = z.looseObject({});

export const objectOfText = z.record(z.string(), text);

/** What is wrong with a value: each place and why; empty when nothing is. */
export function faultsOf(name: string, schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).map(({ path, message }) => `${[name, ...path].join('.')}: ${message}`);
}
