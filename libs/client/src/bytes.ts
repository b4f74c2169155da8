const HEX = /^(?:[0-9a-f]{2})*$/;

/** @throws TypeError unless the text is lower-case hex */
export function fromHex(text: string): Uint8Array<ArrayBuffer> {
  if (!HEX.test(text)) throw new TypeError('not lower-case hex');
  return Uint8Array.from({ length: text.length / 2 }, (_none, at) => Number.parseInt(text.slice(2 * at, 2 * at + 2), 16));
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Decodes base64 or base64url, with or without padding. @throws an error of the platform for any other text */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
}

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';

/** Lower-case Crockford base32, highest bit first. */
export function toCrockford(bytes: Uint8Array, characters: number): string {
  let text = '';
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5 && text.length < characters; bits -= 5) text += CROCKFORD[(held >>> (bits - 5)) & 31];
    held &= (1 << bits) - 1;
  }
  return text;
}

type Subtle = typeof globalThis.crypto.subtle;

/** @throws Error in a page loaded over plain http, where browsers have no WebCrypto */
export function subtleCrypto(): Subtle {
  const { subtle } = globalThis.crypto as { readonly subtle?: Subtle };
  if (subtle === undefined) throw new Error('WebCrypto is unavailable. Load the page over https or from localhost.');
  return subtle;
}

export async function sha256(data: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await subtleCrypto().digest('SHA-256', data));
}

/** SHA-256 of the text in UTF-8. */
export function sha256OfText(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return sha256(new TextEncoder().encode(text));
}
