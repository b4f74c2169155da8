const LN2_HIGH = 6.9314718036912381649e-1;
const LN2_LOW = 1.90821492927058770002e-10;
const TWO_54 = 2 ** 54;
/** Polynomial coefficients in s² of log(1 + f) without its first terms: fdlibm's Lg1 to Lg7. */
const L1 = 6.66666666666673513e-1;
const L2 = 3.999999999940941908e-1;
const L3 = 2.857142874366239149e-1;
const L4 = 2.222219843214978396e-1;
const L5 = 1.818357216161805012e-1;
const L6 = 1.531383769920937332e-1;
const L7 = 1.479819860511658591e-1;

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
/** Index of the upper half of a double. */
const HIGH = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 1 : 0;

/**
 * Natural logarithm with the bits of V8's `Math.log` in every engine, because ECMAScript leaves the last bit open. NaN
 * below 0, −Infinity at 0. After e_log.c of fdlibm 5.3, whose notice is in NOTICE.
 */
export function naturalLog(value: number): number {
  if (value === 0) return Number.NEGATIVE_INFINITY;
  if (!(value > 0)) return Number.NaN;
  if (value === Number.POSITIVE_INFINITY) return value;
  let exponent = -1_023;
  double[0] = value;
  if (value < 2.2250738585072014e-308) {
    exponent -= 54;
    double[0] = value * TWO_54;
  }
  const high = words[HIGH] ?? 0;
  exponent += high >>> 20;
  const mantissa = high & 0x000f_ffff;
  // The number becomes 2^exponent (1 + f), with 1 + f between √½ and √2.
  const carry = (mantissa + 0x9_5f64) & 0x10_0000;
  words[HIGH] = mantissa | (carry ^ 0x3ff0_0000);
  exponent += carry >>> 20;
  const f = (double[0] ?? 0) - 1;
  if ((0x000f_ffff & (2 + mantissa)) < 3) return nearOne(f, exponent);
  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const r = z * (L1 + w * (L3 + w * (L5 + w * L7))) + w * (L2 + w * (L4 + w * L6));
  if (((mantissa - 0x6_147a) | (0x6_b851 - mantissa)) > 0) {
    const half = 0.5 * f * f;
    if (exponent === 0) return f - (half - s * (half + r));
    return exponent * LN2_HIGH - (half - (s * (half + r) + exponent * LN2_LOW) - f);
  }
  if (exponent === 0) return f - s * (f - r);
  return exponent * LN2_HIGH - (s * (f - r) - exponent * LN2_LOW - f);
}

/** For |f| below 2⁻²⁰. */
function nearOne(f: number, exponent: number): number {
  if (f === 0) return exponent === 0 ? 0 : exponent * LN2_HIGH + exponent * LN2_LOW;
  const r = f * f * (0.5 - 0.33333333333333333 * f);
  return exponent === 0 ? f - r : exponent * LN2_HIGH - (r - exponent * LN2_LOW - f);
}
