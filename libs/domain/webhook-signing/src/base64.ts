/** The bytes of a base64 text (with padding), or null when it is not exactly what these bytes are written as. */
export function fromBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}
