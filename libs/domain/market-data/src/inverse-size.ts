import { divideDecimals, multiplyDecimals } from './decimal';

const SIZE_DECIMALS = 12;
const MILLION = 1_000_000;
/** Keeps remainder times a million within safe integers. */
const DIVISOR_MAX = Math.floor(Number.MAX_SAFE_INTEGER / MILLION);

/**
 * Coin size of inverse contracts: contracts × contract value / price, rounded half-even to 12 decimals, without
 * trailing zeros. All arguments are positive decimals.
 * @throws DecimalFormatError, or RangeError if `price` is zero
 */
export function inverseSize(contracts: string, contractValue: string, price: string): string {
  const point = price.indexOf('.');
  const scale = point < 0 ? 0 : price.length - point - 1;
  const divisor = Number(point < 0 ? price : price.slice(0, point) + price.slice(point + 1));
  const dividend = Number(contracts) * Number(contractValue) * 10 ** scale;
  const exact = Number.isSafeInteger(dividend) && dividend >= 0 && Number.isSafeInteger(divisor) && divisor > 0;
  if (exact && divisor <= DIVISOR_MAX && scale <= 12 && isDigits(contracts) && isDigits(contractValue)) {
    return divideInSteps(dividend, divisor);
  }
  return divideDecimals(multiplyDecimals(contracts, contractValue), price, SIZE_DECIMALS);
}

function divideInSteps(dividend: number, divisor: number): string {
  const remainder = dividend % divisor;
  let whole = (dividend - remainder) / divisor;
  const high = remainder * MILLION;
  const highRemainder = high % divisor;
  let upper = (high - highRemainder) / divisor;
  const low = highRemainder * MILLION;
  const lowRemainder = low % divisor;
  let lower = (low - lowRemainder) / divisor;
  const twice = lowRemainder * 2;
  if (twice > divisor || (twice === divisor && lower % 2 === 1)) lower++;
  if (lower === MILLION) {
    lower = 0;
    upper++;
  }
  if (upper === MILLION) {
    upper = 0;
    whole++;
  }
  if (lower === 0 && upper === 0) return String(whole);
  const fraction = lower === 0 ? sixDigits(upper) : sixDigits(upper) + sixDigits(lower);
  let end = fraction.length;
  while (fraction.charCodeAt(end - 1) === 48) end--;
  return `${whole}.${fraction.slice(0, end)}`;
}

function sixDigits(value: number): string {
  return String(value + MILLION).slice(1);
}

function isDigits(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 48 || code > 57) return false;
  }
  return text.length > 0;
}
