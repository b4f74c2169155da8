const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_LENGTH = 26;

/** A fresh id: the noun's prefix and 26 random Crockford base32 characters, lower case. */
export function newId(
  prefix: 'acc' | 'cei' | 'grn' | 'hld' | 'inv' | 'key' | 'lea' | 'mail' | 'op' | 'ord' | 'ten',
  randomBytes: (size: number) => Uint8Array,
): string {
  return `${prefix}_${Array.from(randomBytes(ID_LENGTH), (byte) => CROCKFORD.charAt(byte % 32)).join('')}`;
}
