/** Hand-made lines of Binance USD-M recordings. Times are milliseconds after `START_MS`. */

export const START_MS = 1_700_000_000_000;

export function received(atMs: number, message: unknown): string {
  return `${START_MS + atMs}000000 ${JSON.stringify(message)}`;
}

export interface UsdmInstrument {
  /** `AKROUSDT`. */
  readonly name: string;
  readonly bid: string;
  readonly ask: string;
}

type Level = readonly [price: string, quantity: string];

function stream(name: string, channel: string, data: object): object {
  return { stream: `${name.toLowerCase()}@${channel}`, data: { s: name, ...data } };
}

export function diff(
  { name }: UsdmInstrument,
  atMs: number,
  ids: readonly [first: number, last: number, previous: number],
  bids: readonly Level[],
  asks: readonly Level[] = [],
): string {
  const [U, u, pu] = ids;
  return received(
    atMs,
    stream(name, 'depth@100ms', { e: 'depthUpdate', E: START_MS + atMs, T: START_MS + atMs, U, u, pu, b: bids, a: asks }),
  );
}

function trade({ name, ask }: UsdmInstrument, atMs: number, id: number): string {
  const data = { e: 'trade', E: START_MS + atMs, T: START_MS + atMs, t: id, p: ask, q: '3', X: 'MARKET', m: false };
  return received(atMs, stream(name, 'trade', data));
}

export function ticker({ name, bid, ask }: UsdmInstrument, atMs: number, id: number): string {
  const data = { e: 'bookTicker', u: id, b: bid, B: '5', a: ask, A: '6', T: START_MS + atMs, E: START_MS + atMs };
  return received(atMs, stream(name, 'bookTicker', data));
}

/** Response of the route `depth`, which names no instrument. */
export function bareSnapshot({ bid, ask }: UsdmInstrument, atMs: number, lastUpdateId: number): string {
  return received(atMs, { lastUpdateId, E: START_MS + atMs, T: START_MS + atMs, bids: [[bid, '5']], asks: [[ask, '6']] });
}

/**
 * Changes and trades of an instrument from `fromMs` for 25 s, one of each every half second. Update ids rise by 10 in
 * all instruments, as with one matching engine.
 */
export function market(of: UsdmInstrument, fromMs: number, channels: readonly ('depth' | 'trade')[] = ['depth', 'trade']): string[] {
  return Array.from({ length: 50 }, (_, index) => {
    const atMs = fromMs + index * 500;
    const lastId = 1_010 + index * 10;
    return [
      ...(channels.includes('depth') ? [diff(of, atMs, [lastId - 9, lastId, lastId - 10], [[of.bid, String(7 + (index % 3))]])] : []),
      ...(channels.includes('trade') ? [trade(of, atMs + 1, 1 + index)] : []),
    ];
  }).flat();
}

/** Sorted by receive time. */
export function merged(...lines: readonly (readonly string[])[]): string {
  return lines
    .flat()
    .toSorted((a, b) => Number(BigInt(a.slice(0, 19)) - BigInt(b.slice(0, 19))))
    .join('\n');
}
