import { roundHalfEven, roundTo } from '../numbers/round';

/** Number formats in sentences: docs/packet-body.md, section 4. */
export type NumberFormat = 'score' | 'bps' | 'share' | 'percent' | 'span' | 'usd';

export const PAIRED_FORMATS: readonly NumberFormat[] = ['score', 'bps'];

const MOST_DECIMALS = 6;

const SPAN_UNITS: Readonly<Record<string, number>> = { ms: 1, seconds: 1_000, minutes: 60_000, hours: 3_600_000 };

export function spanUnitMs(factName: string): number | undefined {
  return SPAN_UNITS[factName.slice(factName.lastIndexOf('_') + 1)];
}

/** `other`: a number in the same sentence that must print differently if it differs. `unitMs`: unit of a `span`. */
export function numberWords(value: number, format: NumberFormat, other: number | null, unitMs = 1): string {
  switch (format) {
    case 'score':
      return paired(value, other, () => 2);
    case 'bps':
      return `${paired(value, other, decimalsOf)} bps`;
    case 'share':
      return shareWords(value);
    case 'percent':
      return `${fixed(100 * value, decimalsOf(100 * value))} %`;
    case 'span':
      return spanWords(value * unitMs);
    case 'usd':
      return usdWords(value);
  }
}

/** Two to three significant digits: no decimals from 100, one from 1, one more per power of ten below. */
function decimalsOf(value: number): number {
  const size = Math.abs(value);
  if (size >= 100 || size === 0) return 0;
  if (size >= 1) return 1;
  if (size >= 0.1) return 2;
  if (size >= 0.01) return 3;
  if (size >= 0.001) return 4;
  return size >= 0.0001 ? 5 : MOST_DECIMALS;
}

function paired(value: number, other: number | null, least: (value: number) => number): string {
  let decimals = least(value);
  if (other === null || other === value) return fixed(value, decimals);
  decimals = Math.max(decimals, least(other));
  while (decimals < MOST_DECIMALS && roundTo(value, decimals) === roundTo(other, decimals)) decimals++;
  return fixed(value, decimals);
}

/** Fixed decimals; a non-zero value never prints as zero. */
function fixed(value: number, decimals: number): string {
  const rounded = roundTo(value, decimals);
  return rounded === 0 && value !== 0 ? `under ${(10 ** -decimals).toFixed(decimals)}` : rounded.toFixed(decimals);
}

function shareWords(value: number): string {
  const percent = Math.round(100 * roundTo(value, 2));
  if (percent === 0 && value > 0) return 'under 1 %';
  return percent === 100 && value < 1 ? 'over 99 %' : `${percent} %`;
}

function spanWords(ms: number): string {
  if (ms < 1_000) return 'under 1 s';
  const seconds = roundHalfEven(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return twoUnits(seconds, 60, 'min', 's');
  const minutes = roundHalfEven(seconds / 60);
  return minutes < 2_880 ? twoUnits(minutes, 60, 'h', 'min') : twoUnits(roundHalfEven(minutes / 60), 24, 'd', 'h');
}

function twoUnits(total: number, size: number, large: string, small: string): string {
  const rest = total % size;
  const whole = `${(total - rest) / size} ${large}`;
  return rest === 0 ? whole : `${whole} ${rest} ${small}`;
}

function usdWords(value: number): string {
  for (const [unit, name] of [
    [1e9, 'billion'],
    [1e6, 'million'],
    [1e3, 'thousand'],
  ] as const)
    if (value >= unit) return `${fixed(value / unit, decimalsOf(value / unit))} ${name} USD`;
  return `${fixed(value, 0)} USD`;
}
