const SPLITTER = 134_217_729; // 2^27 + 1: splits a double into two halves of at most 26 bits.
const FAST_LIMIT = 2 ** 50;
const INTEGER_LIMIT = 2 ** 53;

/**
 * Rounds to 6 decimals, half-even on the double's exact decimal value; −0 becomes 0. Source: round-half-to-even as in
 * IEEE 754, on the decimal expansion.
 * @throws RangeError if not finite
 */
export function round6(value: number): number {
  return roundScaled(value, 1e6);
}

/** Like `round6`, to 12 decimals: funding rates, returns and volatilities. */
export function round12(value: number): number {
  return roundScaled(value, 1e12);
}

/** Like `round6`, to 0 to 12 decimals. */
export function roundTo(value: number, decimals: number): number {
  return roundScaled(value, 10 ** decimals);
}

/**
 * Nearest integer, ties to even; −0 becomes 0.
 * @throws RangeError if not finite
 */
export function roundHalfEven(value: number): number {
  return roundScaled(value, 1);
}

function roundScaled(value: number, scale: number): number {
  if (value === 0) return 0;
  if (!Number.isFinite(value)) throw new RangeError(`not a finite number: ${value}`);
  const magnitude = value < 0 ? -value : value;
  const scaled = magnitude * scale;
  // Doubles this large are further apart than the decimals.
  if (scaled >= INTEGER_LIMIT) return value;
  const units = scaled < FAST_LIMIT ? nearestUnits(magnitude, scale, scaled) : nearestUnitsExact(magnitude, scale);
  if (units === 0) return 0;
  const rounded = units / scale;
  return value < 0 ? -rounded : rounded;
}

/**
 * Integer nearest to the exact product magnitude × scale, whose double is `scaled`. Its error, below 1/8 here, matters
 * only near a tie; there it is computed exactly, so that the sign of the sum below is that of the exact distance.
 */
function nearestUnits(magnitude: number, scale: number, scaled: number): number {
  const floor = Math.floor(scaled);
  const beyondHalf = scaled - floor - 0.5;
  if (beyondHalf > 0.25) return floor + 1;
  if (beyondHalf < -0.25) return floor;
  const side = beyondHalf + productError(magnitude, scale, scaled);
  if (side > 0) return floor + 1;
  if (side < 0) return floor;
  return floor % 2 === 0 ? floor : floor + 1;
}

/** a × b − product, exactly (T. J. Dekker, "A floating-point technique for extending the available precision", 1971). */
function productError(a: number, b: number, product: number): number {
  const aSplit = SPLITTER * a;
  const aHigh = aSplit - (aSplit - a);
  const aLow = a - aHigh;
  const bSplit = SPLITTER * b;
  const bHigh = bSplit - (bSplit - b);
  const bLow = b - bHigh;
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow);
}

/** For products of 2^50 and more, in integers. */
function nearestUnitsExact(magnitude: number, scale: number): number {
  // A double of this size is an integer multiple of 2^-60: multiplying by 2^60 only moves its exponent.
  const exact = BigInt(magnitude * 2 ** 60) * BigInt(scale);
  const floor = exact >> 60n;
  const twiceRest = (exact - (floor << 60n)) << 1n;
  const one = 1n << 60n;
  const up = twiceRest > one || (twiceRest === one && (floor & 1n) === 1n);
  return Number(up ? floor + 1n : floor);
}

export function clamp(value: number, low: number, high: number): number {
  return value < low ? low : value > high ? high : value;
}
