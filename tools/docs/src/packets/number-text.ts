/** Decimals of a number in pages: those of the packets' thresholds, and one more. */
const DECIMALS = 3;
/** Below this, so many decimals that three digits show: a volatility of ten seconds is 0.00057. */
const SMALL = 0.01;

/** A number of a packet or policy as pages print it: whole numbers as they are, others with three decimals, a minus as `−`. */
export function numberText(value: number): string {
  const size = Math.abs(value);
  const decimals = size === 0 || size >= SMALL ? DECIMALS : 2 - Math.floor(Math.log10(size));
  const text = value.toFixed(decimals);
  return grouped(text.includes('.') ? text.replace(/\.?0+$/, '') : text).replace('-', '−');
}

/** A score, 0 to 1, with three decimals: what they would print as 0 is `under 0.001`. */
export function scoreText(score: number): string {
  const rounded = Number(score.toFixed(DECIMALS));
  return score > 0 && rounded === 0 ? `under ${10 ** -DECIMALS}` : String(rounded);
}

/** `1667132.8` → `1,667,132.8` */
function grouped(text: string): string {
  const [whole = '', decimals] = text.split('.');
  const commas = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return decimals === undefined ? commas : `${commas}.${decimals}`;
}
