/**
 * Headers of a pasted text, one per line, as `name: value` or in the formats of curl and JSON: quoted, after `-H`, or
 * with a trailing comma.
 */
export function headersOf(text: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*(?:-H\s+)?["']?([\w-]+)["']?\s*[:=]\s*["']?(.*?)["']?,?\s*\\?\s*$/.exec(line);
    const [, name = '', value = ''] = match ?? [];
    if (name !== '' && value !== '') found[name.toLowerCase()] = value;
  }
  return found;
}
