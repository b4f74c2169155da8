import { compareDecimals, DecimalFormatError, normalizeDecimal } from './decimal';
import { plainDecimal, venueNumber } from './venue-number';

const ZERO = 48;
const POINT = 46;

/** The decimal in plain notation when `text` is one above zero, an exponent allowed (`8e-05`); undefined for anything else. */
export function positiveDecimal(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const value = venueNumber(text);
  if (value > 0) return isPlain(text) ? text : plainDecimal(value);
  const plain = anyDecimal(text);
  return plain !== undefined && compareDecimals(plain, '0') > 0 ? plain : undefined;
}

/** Whether digits with at most one point among them have no zero too many at either end. */
function isPlain(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return (text.charCodeAt(0) !== ZERO || text.charCodeAt(1) === POINT) && (last !== ZERO || !text.includes('.'));
}

/** The decimal in plain notation, of either sign; undefined when `text` is none. */
export function anyDecimal(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    return normalizeDecimal(text);
  } catch (error) {
    if (error instanceof DecimalFormatError) return undefined;
    throw error;
  }
}
