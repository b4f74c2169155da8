import { sizeOf, TEXT_BYTES_MAX } from '../answers/bounds';

/** All of an object, or the field that is named; beyond the bound as many fields as fit, with the others' names and their addresses. */
export function part(whole: object, name: string, address: string): unknown {
  const fields = Object.entries(whole);
  if (name !== 'all') {
    const [, value] = fields.find(([field]) => field === name) ?? [];
    if (value === undefined) return { parts: fields.map(([field]) => field), error: 'There is no part of this name.' };
    return sizeOf(value) <= TEXT_BYTES_MAX ? { [name]: value } : { truncated: true, omitted: { [name]: sizeOf(value) }, unit: 'bytes' };
  }
  if (sizeOf(whole) <= TEXT_BYTES_MAX) return whole;
  const given: Record<string, unknown> = {};
  const left: string[] = [];
  for (const [field, value] of fields) {
    const isFit = sizeOf({ ...given, [field]: value }) + sizeOf(fields.map(([other]) => address + other)) <= TEXT_BYTES_MAX;
    if (isFit) given[field] = value;
    else left.push(field);
  }
  return { ...given, truncated: true, omitted: { parts: left.length }, next: left.map((field) => address + field) };
}
