const CACHED_MAX = 65_536;

/** Writes whole numbers of 10^−decimals units as decimal strings: plain notation, no trailing zeros. Remembers the texts it made. */
export function decimalWriter(decimals: number): (units: number) => string {
  const texts: (string | undefined)[] = [];
  return (units) => {
    if (units >= CACHED_MAX) return decimalText(units, decimals);
    return (texts[units] ??= decimalText(units, decimals));
  };
}

/** `units` × 10^−decimals in plain notation without trailing zeros; `units` is a whole number, negative ones included. */
export function decimalText(units: number, decimals: number): string {
  const sign = units < 0 ? '-' : '';
  const digits = String(Math.abs(units)).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}
