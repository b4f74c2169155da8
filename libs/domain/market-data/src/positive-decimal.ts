import { compareDecimals, DecimalFormatError, normalizeDecimal } from './decimal';
import { plainDecimal, venueNumber } from './venue-number';

/** The decimal in plain notation when `text` is one above zero, an exponent allowed (`8e-05`); undefined for anything else. */
export function positiveDecimal(text: unknown): string | undefined {
  const value = venueNumber(text);
  if (value > 0) return plainDecimal(value);
  const plain = anyDecimal(text);
  return plain !== undefined && compareDecimals(plain, '0') > 0 ? plain : undefined;
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
