const CURSOR = /^rc1\.([A-Z0-9]{1,20}USD-PERP)\.(\d{1,16})$/;

/** The replay cursor of the packet of `symbol` at T: `rc1.<symbol>.<T in epoch ms>`. Needs no escaping in a URL. */
export function replayCursor(symbol: string, windowEndMs: number): string {
  return `rc1.${symbol}.${windowEndMs}`;
}

/** What a replay cursor points at, or null when it is none. */
export function parseReplayCursor(cursor: string): { readonly symbol: string; readonly windowEndMs: number } | null {
  const match = CURSOR.exec(cursor);
  const [, symbol, windowEnd] = match ?? [];
  return symbol === undefined || windowEnd === undefined ? null : { symbol, windowEndMs: Number(windowEnd) };
}
