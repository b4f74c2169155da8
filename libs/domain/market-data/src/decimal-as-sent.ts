import { anyDecimal, positiveDecimal } from './positive-decimal';

/** Digits without a zero too many in front, a point between digits; zeros may end it. */
const PLAIN = /^-?(?:0|[1-9][0-9]{0,63})(?:\.[0-9]{1,64})?$/;

/**
 * A decimal of either sign to the last digit as the venue sent it (`0.00010000`); one with an exponent, a plus sign, zeros in
 * front, or a negative zero, in plain notation. Undefined when `text` is none.
 */
export function decimalAsSent(text: unknown): string | undefined {
  return asSent(text, anyDecimal(text));
}

/** The same of a decimal that is not negative. */
export function unsignedAsSent(text: unknown): string | undefined {
  const decimal = decimalAsSent(text);
  return decimal?.startsWith('-') === true ? undefined : decimal;
}

/** The same of a decimal above zero. */
export function positiveAsSent(text: unknown): string | undefined {
  return asSent(text, positiveDecimal(text));
}

function asSent(text: unknown, plain: string | undefined): string | undefined {
  return plain !== undefined && typeof text === 'string' && PLAIN.test(text) && !(plain === '0' && text.startsWith('-')) ? text : plain;
}
