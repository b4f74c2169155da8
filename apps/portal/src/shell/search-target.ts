/** Where a search leads; null for what is neither a symbol nor an event. */
export function searchTarget(text: string): string | null {
  const asked = text.trim();
  if (/^evt_[0-9a-z]{26}$/.test(asked)) return `/packet/${asked}`;
  const symbol = asked.toUpperCase();
  if (/^[A-Z0-9]{1,12}USD-PERP$/.test(symbol)) return `/live/${symbol}`;
  return /^[A-Z0-9]{1,12}$/.test(symbol) ? `/live/${symbol}USD-PERP` : null;
}
