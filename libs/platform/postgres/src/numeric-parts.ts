/** A numeric as its binary form has it: digits to base 10,000, the first of which counts 10,000 to the power `weight`. */
export interface NumericParts {
  readonly digits: readonly number[];
  readonly weight: number;
  readonly isNegative: boolean;
  /** Decimals shown. */
  readonly decimals: number;
}

const BASE_DIGITS = 4;
const ZERO = 0x30;
const POINT = 0x2e;
const MINUS = 0x2d;

/**
 * Parts of a plain decimal: digits, at most one point, at most a minus before them.
 * @throws {RangeError} when the text is none
 */
export function numericParts(text: string): NumericParts {
  const isNegative = text.charCodeAt(0) === MINUS;
  const start = isNegative ? 1 : 0;
  const point = text.indexOf('.');
  const wholeEnd = point === -1 ? text.length : point;
  const decimals = point === -1 ? 0 : text.length - point - 1;
  if (wholeEnd === start || (point !== -1 && decimals === 0)) throw notPlain(text);
  const digits: number[] = [];
  // Groups of four stand off from the point on both sides; the outer ones may be short.
  const wholeGroups = Math.ceil((wholeEnd - start) / BASE_DIGITS);
  for (let group = wholeGroups; group > 0; group -= 1) digits.push(groupAt(text, Math.max(start, wholeEnd - group * BASE_DIGITS), wholeEnd - (group - 1) * BASE_DIGITS));
  for (let at = wholeEnd + 1; at < text.length; at += BASE_DIGITS) {
    const end = Math.min(text.length, at + BASE_DIGITS);
    digits.push(groupAt(text, at, end) * 10 ** (at + BASE_DIGITS - end));
  }
  return { ...trimmed(digits, wholeGroups - 1), isNegative, decimals };
}

function groupAt(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at += 1) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9 || text.charCodeAt(at) === POINT) throw notPlain(text);
    value = value * 10 + digit;
  }
  return value;
}

/** Without zeros at either end, as the server writes it. */
function trimmed(digits: number[], weight: number): Pick<NumericParts, 'digits' | 'weight'> {
  let first = 0;
  let end = digits.length;
  while (first < end && digits[first] === 0) first += 1;
  while (end > first && digits[end - 1] === 0) end -= 1;
  return first === end ? { digits: [], weight: 0 } : { digits: digits.slice(first, end), weight: weight - first };
}

function notPlain(text: string): RangeError {
  return new RangeError(`not a plain decimal: ${JSON.stringify(text.slice(0, 40))}`);
}
