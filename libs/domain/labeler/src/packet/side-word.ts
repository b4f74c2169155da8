/** The side of a signed value in words; `none` at 0, null where there is none to read. */
export function sideWord(value: number | null, positive: string, negative: string): string | null {
  if (value === null) return null;
  return value > 0 ? positive : value < 0 ? negative : 'none';
}
