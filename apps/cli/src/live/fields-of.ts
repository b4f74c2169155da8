/** Paths of the fields that hold something else than further fields. Of a list every member counts. */
export function fieldsOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) {
    const inner = (value as unknown[]).filter((member) => typeof member === 'object' && member !== null);
    const fields = [...new Set(inner.flatMap((member) => fieldsOf(member, path)))];
    return fields.length > 0 || path === '' ? fields : [path];
  }
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, member]) => fieldsOf(member, path === '' ? name : `${path}.${name}`));
}
