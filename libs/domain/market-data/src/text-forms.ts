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

const FORM = /^(\d{4}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d)(?:(:[0-5]\d)(?:\.(\d{1,12}))?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/i;

/** Epoch milliseconds, rounded down, of an ISO 8601 date or time; UTC without a zone. Undefined if invalid. */
export function parseUtcInstant(text: string): number | undefined {
  const [, day = '', time = '00:00', seconds = ':00', fraction = '', zone = 'Z'] = FORM.exec(text) ?? [];
  const dayMs = Date.parse(`${day}T00:00Z`);
  // `Date.parse` accepts 30 February as 1 March.
  if (Number.isNaN(dayMs) || !new Date(dayMs).toISOString().startsWith(day)) return undefined;
  return Date.parse(`${day}T${time}${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}${zone.toUpperCase()}`);
}

const SECONDS = /^([0-9]{9,10})(?:\.([0-9]{1,12}))?$/;

/** Truncates digit by digit to avoid double rounding. */
export function secondsToMs(text: string): number | undefined {
  const match = SECONDS.exec(text);
  if (match === null) return undefined;
  const [, seconds = '', fraction = ''] = match;
  return Number(seconds) * 1_000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
}
