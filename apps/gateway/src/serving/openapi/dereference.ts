type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

function lookUp(document: Json, pointer: string): Json {
  let node: Json = document;
  for (const part of pointer.replace(/^#\//, '').split('/')) {
    const next: Json | undefined = (node as { readonly [key: string]: Json })[part];
    if (next === undefined) throw new Error(`nothing at ${pointer}`);
    node = next;
  }
  return node;
}

/** A copy of `node` in which every `#/…` reference is replaced by what it names in `document`. References must not be circular. */
export function dereference<T>(document: unknown, node: T): T {
  function walk(value: Json): Json {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const entries = value as { readonly [key: string]: Json };
    if (typeof entries['$ref'] === 'string') return walk(lookUp(document as Json, entries['$ref']));
    return Object.fromEntries(Object.entries(entries).map(([key, inner]) => [key, walk(inner)]));
  }
  return walk(node as Json) as T;
}
