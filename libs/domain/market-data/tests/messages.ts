import { instrumentOf, type MarketEvent, recordingPass } from '../src/index';
import type { RecordingPassInput } from '../src/recording-log';

/** Handmade messages of BTCUSD_PERP in the venue's layout. Times are small numbers of milliseconds. */

type Level = readonly [price: string, contracts: string];

export function diff(
  timeMs: number,
  ids: readonly [first: number, last: number, previous: number],
  bids: readonly Level[],
  asks: readonly Level[],
): string {
  const [U, u, pu] = ids;
  const data = { e: 'depthUpdate', E: timeMs, T: timeMs, s: 'BTCUSD_PERP', ps: 'BTCUSD', U, u, pu, b: bids, a: asks };
  return JSON.stringify({ stream: 'btcusd_perp@depth@0ms', data });
}

export function snapshot(timeMs: number, lastUpdateId: number, bids: readonly Level[], asks: readonly Level[]): string {
  return JSON.stringify({ lastUpdateId, E: timeMs, T: timeMs, symbol: 'BTCUSD_PERP', pair: 'BTCUSD', bids, asks });
}

export function trade(timeMs: number, id: number, changes: Record<string, unknown> = {}): string {
  const data = { e: 'trade', E: timeMs, T: timeMs, s: 'BTCUSD_PERP', t: id, p: '50000.0', q: '1', X: 'MARKET', m: false, ...changes };
  return JSON.stringify({ stream: 'btcusd_perp@trade', data });
}

/** Recording line, received at `receivedMs` plus 300 µs. */
export function line(receivedMs: number, message: string): string {
  return `${1_700_000_000_000 + receivedMs}300000 ${message}`;
}

/** Offset between test times and message times. */
export const DAY_MS = 1_700_000_000_000;

export function handMadePass(lines: readonly string[], endMs: number, changes: Partial<RecordingPassInput> = {}): RecordingPassInput {
  const firstMs = Number(lines[0]?.slice(0, 13));
  const span = { firstReceivedMs: firstMs, lastReceivedMs: DAY_MS + endMs, firstExchangeMs: firstMs, lastExchangeMs: DAY_MS + endMs };
  return {
    lines,
    span,
    instrument: instrumentOf('BTCUSD-PERP'),
    pass: 1,
    epoch: 1,
    firstOrdinal: 1,
    shiftMs: 0,
    endFeedClockMs: DAY_MS + endMs,
    ...changes,
  };
}

export function eventsOf(input: RecordingPassInput): MarketEvent[] {
  return [...recordingPass(input).events].map(({ event }) => event);
}

/** One line per entry: kind, time of day and what identifies it. */
export function inShort(events: readonly MarketEvent[]): string[] {
  return events.map((event) => {
    const at = event.exchangeTsMs - DAY_MS;
    switch (event.kind) {
      case 'tick':
        return `tick ${at}`;
      case 'feed_status':
        return event.status.type;
      case 'book':
        return `book ${at} #${event.venueId} ${event.bids[0]?.price}/${event.asks[0]?.price}`;
      default:
        return `${event.kind} ${at} #${event.venueId}`;
    }
  });
}
