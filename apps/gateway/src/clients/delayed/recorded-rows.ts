import { timeLimit } from '@market-state/lifecycle';
import { eventOfRow, type MarketEvent } from '@market-state/market-data';
import type { MarketDataClient } from '../market-data-client';

/** How far back rows are looked for, milliseconds, near first. */
const REACHES_MS = [10_000, 60_000, 600_000, 3_600_000];

const DEADLINE_MS = 5_000;

type Kind = 'book' | 'trade' | 'context' | 'liquidation';

const CHANNEL_OF = { book: 'book', trade: 'trades', context: 'context', liquidation: 'liquidations' } as const;

export type EventOf<K extends Kind> = Extract<MarketEvent, { readonly kind: K }>;

/** Rows of one channel in a window of exchange time, received by its end, in log order. */
export async function recordedRows<K extends Kind>(
  client: MarketDataClient,
  symbol: string,
  kind: K,
  startMs: number,
  endMs: number,
): Promise<EventOf<K>[]> {
  const found: EventOf<K>[] = [];
  const deadline = timeLimit(DEADLINE_MS);
  for (let pageToken = ''; ; ) {
    let next = '';
    const request = { symbol, startMs, endMs, channels: [CHANNEL_OF[kind]], asOfMs: endMs, pageSize: 5_000, pageToken };
    for await (const { rows, end } of client.call.readWindow(request, { signal: deadline })) {
      for (const { line } of rows) {
        const event = eventOfRow(JSON.parse(line.toString('utf8')));
        if (event.kind === kind) found.push(event as EventOf<K>);
      }
      next = end?.nextPageToken ?? '';
    }
    if (next === '') return found;
    pageToken = next;
  }
}

/** The last rows of a channel before an instant, at most `limit`, in log order; none where the hour before has none. */
export async function lastRows<K extends Kind>(
  client: MarketDataClient,
  symbol: string,
  kind: K,
  endMs: number,
  limit: number,
): Promise<EventOf<K>[]> {
  let found: EventOf<K>[] = [];
  let fromMs = endMs;
  for (const reachMs of REACHES_MS) {
    const startMs = endMs - reachMs;
    const earlier = await recordedRows(client, symbol, kind, startMs, fromMs);
    found = [...earlier, ...found];
    if (found.length >= limit) break;
    fromMs = startMs;
  }
  return found.slice(-limit);
}
