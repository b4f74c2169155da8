/** The exact sum of decimals written as the API writes them. */
export function sumOf(decimals: readonly string[]): string {
  const places = Math.max(0, ...decimals.map(placesOf));
  const scaled = decimals.reduce((sum, text) => sum + BigInt(text.replace('.', '') + '0'.repeat(places - placesOf(text))), 0n);
  if (places === 0) return String(scaled);
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(places + 1, '0');
  const [whole, part] = [digits.slice(0, -places), digits.slice(-places).replace(/0+$/, '')];
  return `${scaled < 0n ? '-' : ''}${whole}${part === '' ? '' : `.${part}`}`;
}

/** The least and the greatest of the decimals as they are written; null of none. */
export function rangeOf(decimals: readonly string[]): { readonly low: string | null; readonly high: string | null } {
  const sorted = [...decimals].sort((a, b) => Number(a) - Number(b));
  return { low: sorted[0] ?? null, high: sorted.at(-1) ?? null };
}

function placesOf(text: string): number {
  return text.includes('.') ? text.length - text.indexOf('.') - 1 : 0;
}
