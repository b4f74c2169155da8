const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const HEX_PAIRS = /^(?:[0-9a-f]{2})*/i;
/** Bits beyond the last byte are 0, so that bytes have one form alone. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/;
/** Characters that one call of a function takes as arguments. */
const ARGUMENTS_MAX = 8_192;

/** The bytes of hex, up to the first two characters that are none. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array((HEX_PAIRS.exec(text)?.[0].length ?? 0) / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(text.slice(2 * at, 2 * at + 2), 16);
  return bytes;
}

/** The bytes of base64 with its padding, in the one form that `toBase64` gives; undefined for any other text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!BASE64.test(text)) return undefined;
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** The bytes in base64 with its padding. */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += ARGUMENTS_MAX) text += String.fromCharCode(...bytes.subarray(at, at + ARGUMENTS_MAX));
  return btoa(text);
}

/** The first `characters` of the bytes in lower-case Crockford base32, highest bit first. */
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
