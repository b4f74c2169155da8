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

/** The lines of a text that fit, and how many do not. */
export function beginningOf(text: string): object {
  const lines = text.split('\n');
  if (sizeOf({ text }) <= TEXT_BYTES_MAX) return { text };
  const cutAt = (count: number) => ({
    text: lines.slice(0, count).join('\n'),
    truncated: true,
    omitted: { lines: lines.length - count },
    next: 'market-state://docs/{operation id}',
  });
  let count = lines.length;
  while (count > 0 && sizeOf(cutAt(count)) > TEXT_BYTES_MAX) count -= Math.max(1, Math.floor(count / 20));
  return cutAt(Math.max(0, count));
}
