const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const HEX_PAIRS = /^(?:[0-9a-f]{2})*/i;
/** Padding bits must be 0, so that each byte string has only one encoding. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/;
const ARGUMENTS_MAX = 8_192;

/** Decodes hex up to the first invalid pair. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array((HEX_PAIRS.exec(text)?.[0].length ?? 0) / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(text.slice(2 * at, 2 * at + 2), 16);
  return bytes;
}

/** Decodes padded base64 in canonical form; undefined otherwise. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!BASE64.test(text)) return undefined;
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** With padding. */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += ARGUMENTS_MAX) text += String.fromCharCode(...bytes.subarray(at, at + ARGUMENTS_MAX));
  return btoa(text);
}

/** First `characters` in lower-case Crockford base32, highest bit first. */
export function crockford(bytes: Uint8Array, characters: number): string {
  let text = '';
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5 && text.length < characters) {
      bits -= 5;
      text += CROCKFORD[(held >>> bits) & 31];
    }
    held &= (1 << bits) - 1;
    if (text.length === characters) break;
  }
  return text;
}
