/** Text that is not a decimal number. */
export class DecimalFormatError extends Error {
  override readonly name = 'DecimalFormatError';
}

interface Decimal {
  /** The number is digits / 10^scale. */
  readonly digits: bigint;
  readonly scale: number;
}

const DECIMAL = /^([+-]?)([0-9]{1,64})(?:\.([0-9]{1,64}))?(?:[eE]([+-]?[0-9]{1,2}))?$/;

/**
 * Plain notation without leading or trailing zeros, exponent, plus sign or negative zero: `1.50e1` gives `15`.
 * @throws DecimalFormatError when `text` is not a finite decimal of at most 64 digits on either side of the point.
 */
export function normalizeDecimal(text: string): string {
  return format(parse(text));
}

/** Negative, 0 or positive as `a` is less than, equal to or greater than `b`. Exact. @throws DecimalFormatError */
export function compareDecimals(a: string, b: string): number {
  const [left, right] = aligned(parse(a), parse(b));
  return left === right ? 0 : left < right ? -1 : 1;
}

/** a + b, exact. @throws DecimalFormatError */
export function addDecimals(a: string, b: string): string {
  const left = parse(a);
  const right = parse(b);
  const [leftDigits, rightDigits] = aligned(left, right);
  return format({ digits: leftDigits + rightDigits, scale: Math.max(left.scale, right.scale) });
}

/** a × b, exact. @throws DecimalFormatError */
export function multiplyDecimals(a: string, b: string): string {
  const left = parse(a);
  const right = parse(b);
  return format({ digits: left.digits * right.digits, scale: left.scale + right.scale });
}

/**
 * a / b rounded half-even to `decimals` places (0 or more), in integer arithmetic.
 * @throws DecimalFormatError, or RangeError when `b` is zero.
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

/** numerator / denominator rounded to the nearest integer, halves to the even one. `denominator` is not 0. */
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
