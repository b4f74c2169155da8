import { formatKey, KEY_RANDOM_SIZE_BYTES } from '@market-state/credentials';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function unknownKey(random: () => number): string {
  return formatKey(
    random() < 0.5 ? 'live' : 'test',
    Uint8Array.from({ length: KEY_RANDOM_SIZE_BYTES }, () => Math.floor(random() * 256)),
  );
}

/** A malformed key: wrong checksum, shape or length. */
export function junkKey(random: () => number, real: string): string {
  const at = 9 + Math.floor(random() * 46);
  const digit = DIGITS.charAt((DIGITS.indexOf(real.charAt(at)) + 1 + Math.floor(random() * 61)) % 62);
  switch (Math.floor(random() * 6)) {
    case 0:
      return real.slice(0, at) + digit + real.slice(at + 1);
    case 1:
      return `msk_${random() < 0.5 ? 'live' : 'test'}_${textOf(46, random)}`;
    case 2:
      return textOf(55, random);
    case 3:
      return real.slice(0, at) + real.slice(at + 1);
    case 4:
      return real + digit;
    default:
      return real.slice(0, 9) + swapped(real.slice(9), random);
  }
}

function textOf(length: number, random: () => number): string {
  return Array.from({ length }, () => DIGITS.charAt(Math.floor(random() * 62))).join('');
}

/** Swaps two adjacent characters that differ. */
function swapped(text: string, random: () => number): string {
  const first = Math.floor(random() * (text.length - 1));
  const places = Array.from({ length: text.length - 1 }, (_, index) => (first + index) % (text.length - 1));
  const at = places.find((place) => text.charAt(place) !== text.charAt(place + 1)) ?? 0;
  return text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2);
}
