/** The headers of a pasted text, a line each as `name: value`, or as curl and JSON write them: quoted, `-H` before, a comma after. */
export function headersOf(text: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*(?:-H\s+)?["']?([\w-]+)["']?\s*[:=]\s*["']?(.*?)["']?,?\s*\\?\s*$/.exec(line);
    const [, name = '', value = ''] = match ?? [];
    if (name !== '' && value !== '') found[name.toLowerCase()] = value;
  }
  return found;
}
