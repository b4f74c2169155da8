import type { LineFile } from '@market-state/labeler/recompute';
import { addDecimals } from '@market-state/market-data';
import type { MovedTrade } from './messages';

const MOVED_BY = '0.1';
const TRADE = '"kind":"trade"';
const PACKET_ROW = '"schema":"market_state_packet_row.v1"';

/** The trades of a bundle that its packet can have read. */
export interface BundleTrades {
  /** How many there are up to the end of the packet's window. */
  readonly total: number;
  /** The bundle with the price of the n-th of them, counted from the last, moved by 0.1; null where there are fewer. */
  move(n: number): { readonly bundle: LineFile; readonly moved: MovedTrade } | null;
}

interface TradeRow {
  readonly ordinal: number;
  readonly exchange_ts_ms: number;
  readonly price: string;
}

/** The trades before the end of the window of the packet asked for, or of the last. */
export async function tradesOf(bundle: LineFile, eventId: string | undefined): Promise<BundleTrades> {
  const batches: (readonly string[])[] = [];
  for await (const batch of bundle.lines) batches.push(batch);
  const lines = batches.flat();
  const endMs = windowEndOf(lines, eventId);
  const places = lines.flatMap((line, at) => (line.includes(TRADE) && timeOf(line) <= endMs ? [at] : []));
  return {
    total: places.length,
    move(n) {
      const at = places.at(-n) ?? -1;
      const row = JSON.parse(lines[at] ?? 'null') as TradeRow | null;
      if (row === null) return null;
      const movedPrice = addDecimals(row.price, MOVED_BY);
      const changed = lines.with(at, JSON.stringify({ ...row, price: movedPrice }));
      const moved = { ordinal: row.ordinal, atMs: row.exchange_ts_ms, price: row.price, movedPrice };
      return { bundle: { name: bundle.name, lines: { [Symbol.asyncIterator]: () => once(changed) } }, moved };
    },
  };
}

/** T of the packet asked for, or of the last of the bundle; 0 where it is not there. */
function windowEndOf(lines: readonly string[], eventId: string | undefined): number {
  const row = lines.findLast((line) => line.includes(PACKET_ROW) && (eventId === undefined || line.includes(`"event_id":"${eventId}"`)));
  return Number(/"window_end_ms":(\d+)/.exec(row?.slice(row.lastIndexOf('"window_end_ms"')) ?? '')?.[1] ?? 0);
}

function timeOf(line: string): number {
  return Number(/"exchange_ts_ms":(\d+)/.exec(line)?.[1] ?? Number.POSITIVE_INFINITY);
}

async function* once(lines: readonly string[]): AsyncGenerator<readonly string[]> {
  yield lines;
}
