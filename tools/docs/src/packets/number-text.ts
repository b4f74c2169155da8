/** Decimals of a number in pages: those of the packets' thresholds, and one more. */
const DECIMALS = 3;
/** Digits of what three decimals would print as 0, such as a volatility of ten seconds. */
const DIGITS = 3;

/** A number of a packet or policy as pages print it: whole numbers as they are, others with three decimals at most, a minus as `−`. */
export function numberText(value: number): string {
  const fixed = value.toFixed(DECIMALS);
  const isLost = value !== 0 && Number(fixed) === 0;
  const text = isLost ? plain(value) : fixed.replace(/\.?0+$/, '');
  return grouped(text).replace('-', '−');
}

/** A score, 0 to 1: what three decimals would print as 0 is `under 0.001`. */
export function scoreText(score: number): string {
  const isLost = score > 0 && Number(score.toFixed(DECIMALS)) === 0;
  return isLost ? `under ${10 ** -DECIMALS}` : numberText(score);
}

/** Without an exponent. */
function plain(value: number): string {
  const decimals = DIGITS - 1 - Math.floor(Math.log10(Math.abs(value)));
  return value.toFixed(decimals).replace(/0+$/, '');
}

/** `1667132.8` → `1,667,132.8` */
function grouped(text: string): string {
  const [whole = '', decimals] = text.split('.');
  const commas = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return decimals === undefined ? commas : `${commas}.${decimals}`;
}
