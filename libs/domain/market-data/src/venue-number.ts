const POWERS_OF_TEN = Array.from({ length: 19 }, (_, exponent) => 10 ** exponent);
const CHARACTERS_MAX = 18;

/**
 * The value of a plain unsigned decimal (`61804.7`), NaN for anything else: a sign, an exponent, a word, more than 18
 * characters. Used to check and to order what a venue sent; published values stay the text.
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
  if (digits > Number.MAX_SAFE_INTEGER) return Number(text);
  return point < 0 ? digits : digits / (POWERS_OF_TEN[length - 1 - point] ?? NaN);
}
