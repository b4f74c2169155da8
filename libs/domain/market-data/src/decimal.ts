import type { ContextEvent } from './event';

const POWERS_OF_TEN = Array.from({ length: 17 }, (_, exponent) => 10 ** exponent);

const CHARACTERS_MAX = 17;

/** Up to 15 digits, decimals and doubles map one to one: the double's shortest text is the decimal. */
const DIGITS_LIMIT = 1e15;

export class DecimalFormatError extends Error {
  override readonly name = 'DecimalFormatError';
}

interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

const DECIMAL = /^([+-]?)([0-9]{1,64})(?:\.([0-9]{1,64}))?(?:[eE]([+-]?[0-9]{1,2}))?$/;

/**
 * Plain notation without redundant zeros: `1.50e1` becomes `15`.
 * @throws DecimalFormatError unless `text` is a finite decimal with at most 64 digits on either side of the point
 */
export function normalizeDecimal(text: string): string {
  return format(parse(text));
}

/** Exact comparison: negative, 0 or positive. @throws DecimalFormatError */
export function compareDecimals(a: string, b: string): number {
  const [left, right] = aligned(parse(a), parse(b));
  return left === right ? 0 : left < right ? -1 : 1;
}

export function addDecimals(a: string, b: string): string {
  const left = parse(a);
  const right = parse(b);
  const [leftDigits, rightDigits] = aligned(left, right);
  return format({ digits: leftDigits + rightDigits, scale: Math.max(left.scale, right.scale) });
}

export function multiplyDecimals(a: string, b: string): string {
  const left = parse(a);
  const right = parse(b);
  return format({ digits: left.digits * right.digits, scale: left.scale + right.scale });
}

/**
 * Quotient rounded half-even to `decimals` places.
 * @throws DecimalFormatError, or RangeError if `b` is zero
 */
export function divideDecimals(a: string, b: string, decimals: number): string {
  const left = parse(a);
  const right = parse(b);
  if (right.digits === 0n) throw new RangeError('division by zero');
  const shift = decimals + right.scale - left.scale;
  const numerator = shift >= 0 ? left.digits * 10n ** BigInt(shift) : left.digits;
  const denominator = shift >= 0 ? right.digits : right.digits * 10n ** BigInt(-shift);
  return format({ digits: divideHalfEven(numerator, denominator), scale: decimals });
}

function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const negative = numerator < 0n !== denominator < 0n;
  const dividend = numerator < 0n ? -numerator : numerator;
  const divisor = denominator < 0n ? -denominator : denominator;
  const quotient = dividend / divisor;
  const twice = (dividend - quotient * divisor) * 2n;
  const up = twice > divisor || (twice === divisor && (quotient & 1n) === 1n);
  const rounded = up ? quotient + 1n : quotient;
  return negative ? -rounded : rounded;
}

function parse(text: string): Decimal {
  const match = DECIMAL.exec(text);
  if (match === null) throw new DecimalFormatError(`not a decimal: ${JSON.stringify(text.slice(0, 40))}`);
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const magnitude = BigInt(whole + fraction);
  const digits = sign === '-' ? -magnitude : magnitude;
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

function format({ digits, scale }: Decimal): string {
  const negative = digits < 0n;
  const text = (negative ? -digits : digits).toString().padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale);
  let end = text.length;
  while (end > whole.length && text.charCodeAt(end - 1) === 48) end--;
  const plain = end === whole.length ? whole : `${whole}.${text.slice(whole.length, end)}`;
  return negative ? `-${plain}` : plain;
}

function aligned(a: Decimal, b: Decimal): [bigint, bigint] {
  const scale = Math.max(a.scale, b.scale);
  return [a.digits * 10n ** BigInt(scale - a.scale), b.digits * 10n ** BigInt(scale - b.scale)];
}

/** Up to 15 significant digits (`61804.7`); NaN for anything else. */
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

export function plainDecimal(value: number): string {
  const text = String(value);
  return text.includes('e') ? normalizeDecimal(text) : text;
}

/** NaN beyond 15 digits; scale 0 to 16. */
export function decimalOf(digits: number, scale: number): number {
  if (!(digits < DIGITS_LIMIT)) return NaN;
  return scale === 0 ? digits : digits / (POWERS_OF_TEN[scale] ?? NaN);
}

const ZERO = 48;

const POINT = 46;

/** In plain notation; may have an exponent (`8e-05`). Undefined otherwise. */
export function positiveDecimal(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const value = venueNumber(text);
  if (value > 0) return isPlain(text) ? text : plainDecimal(value);
  const plain = anyDecimal(text);
  return plain !== undefined && compareDecimals(plain, '0') > 0 ? plain : undefined;
}

function isPlain(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return (text.charCodeAt(0) !== ZERO || text.charCodeAt(1) === POINT) && (last !== ZERO || !text.includes('.'));
}

/** Plain notation, of either sign; undefined otherwise. */
export function anyDecimal(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    return normalizeDecimal(text);
  } catch (error) {
    if (error instanceof DecimalFormatError) return undefined;
    throw error;
  }
}

const PLAIN = /^-?(?:0|[1-9][0-9]{0,63})(?:\.[0-9]{1,64})?$/;

/**
 * Keeps digits as sent (`0.00010000`) unless an exponent, plus sign, leading zeros or negative zero requires
 * normalization. Undefined if not a decimal.
 */
export function decimalAsSent(text: unknown): string | undefined {
  return asSent(text, anyDecimal(text));
}

export function unsignedAsSent(text: unknown): string | undefined {
  const decimal = decimalAsSent(text);
  return decimal?.startsWith('-') === true ? undefined : decimal;
}

export function positiveAsSent(text: unknown): string | undefined {
  return asSent(text, positiveDecimal(text));
}

function asSent(text: unknown, plain: string | undefined): string | undefined {
  return plain !== undefined && typeof text === 'string' && PLAIN.test(text) && !(plain === '0' && text.startsWith('-')) ? text : plain;
}

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

const RATE_DECIMALS = 12;

/**
 * Hourly rates stay as sent; others are divided, rounded half-even to 12 decimals, and stored with the original rate
 * and interval. Without an interval, only the original rate is stored.
 */
export function fundingOf(
  venueFundingRate: string,
  intervalHours: number | undefined,
): Pick<ContextEvent, 'fundingRate' | 'venueFundingRate' | 'fundingIntervalHours'> {
  if (intervalHours === undefined) return { venueFundingRate };
  if (intervalHours === 1) return { fundingRate: venueFundingRate };
  return {
    fundingRate: divideDecimals(venueFundingRate, String(intervalHours), RATE_DECIMALS),
    venueFundingRate,
    fundingIntervalHours: intervalHours,
  };
}

/** Undefined if unknown or without a rate. */
export function fundingHoursOf({ fundingRate, venueFundingRate, fundingIntervalHours }: ContextEvent): number | undefined {
  return fundingRate !== undefined && venueFundingRate === undefined ? 1 : fundingIntervalHours;
}
