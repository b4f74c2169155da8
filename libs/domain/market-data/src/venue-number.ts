import { normalizeDecimal } from './decimal';

const POWERS_OF_TEN = Array.from({ length: 17 }, (_, exponent) => 10 ** exponent);
const CHARACTERS_MAX = 17;
/** Decimals of at most 15 digits and doubles map one to one: the double's shortest text is the decimal. */
const DIGITS_LIMIT = 1e15;

/**
 * The value of a plain unsigned decimal of at most 15 significant digits (`61804.7`); NaN for anything else: a sign, an
 * exponent, a word, a point without a digit on either side.
 */
export function venueNumber(text: unknown): number {
  if (typeof text !== 'string') return NaN;
  const { length } = text;
  if (length === 0 || length > CHARACTERS_MAX) return NaN;
  let digits = 0;
  let point = -1;
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 48 && code <= 57) digits = digits * 10 + (code - 48);
    else if (code === 46 && point < 0 && index > 0 && index < length - 1) point = index;
    else return NaN;
  }
  return decimalOf(digits, point < 0 ? 0 : length - 1 - point);
}

/** Plain notation of a number of at most 15 digits: the shortest text that gives the number is the decimal it stands for. */
export function plainDecimal(value: number): string {
  const text = String(value);
  return text.includes('e') ? normalizeDecimal(text) : text;
}

/** digits / 10^scale as the nearest double; NaN when there are more digits than a double tells apart. `scale` is 0 to 16. */
export function decimalOf(digits: number, scale: number): number {
  if (!(digits < DIGITS_LIMIT)) return NaN;
  return scale === 0 ? digits : digits / (POWERS_OF_TEN[scale] ?? NaN);
}
