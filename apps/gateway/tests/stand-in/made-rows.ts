import { createHash } from 'node:crypto';
import { marketData } from '@market-state/contracts';
import { type MarketEvent, rowLine } from '@market-state/market-data';
import { packetRecord } from './packet-record';

/** Start of every symbol's log. */
export const LOG_START_MS = Date.parse('2025-12-31T00:00:00.000Z');
/** Frozen feed clock. */
export const FEED_CLOCK_MS = Date.parse('2026-01-01T00:00:00.000Z') + 120;

const STEP_MS = 250;
/** Entries per step: book, trade, context, liquidation, tick, and an unused slot. */
const ENTRIES_A_STEP = 5;
const CLOSING_LAG_MS = 1_000;

function isSimulated(symbol: string): boolean {
  return symbol === 'SIMUSD-PERP';
}

function stepAt(instantMs: number): number {
  return Math.floor((instantMs - LOG_START_MS) / STEP_MS);
}

/** Ordinal of the tick that closes a window. */
export function closingOrdinal(windowEndMs: number): number {
  return stepAt(windowEndMs + CLOSING_LAG_MS) * ENTRIES_A_STEP + 5;
}

/** Packet of a window as labeling stores it. */
export function madePacket(symbol: string, windowEndMs: number) {
  const sourceKind = isSimulated(symbol) ? marketData.SourceKind.SIMULATED : marketData.SourceKind.RECORDED;
  const plain = packetRecord(symbol, windowEndMs);
  const body = Buffer.from(JSON.stringify({ ...(JSON.parse(plain.body.toString()) as object), event_id: plain.eventId }));
  const packetDigest = createHash('sha256').update(body).digest('hex');
  return packetRecord(symbol, windowEndMs, { body, packetDigest, closingOrdinal: closingOrdinal(windowEndMs), sourceKind });
}

function eventsOf(symbol: string, step: number): (readonly [string, MarketEvent])[] {
  const exchangeTsMs = LOG_START_MS + step * STEP_MS;
  const envelope = (slot: number) => ({
    ...{
      venue: isSimulated(symbol) ? 'simulated' : 'binance-coinm',
      symbol,
      pass: 1,
      venueId: `${step}${slot}`,
      exchangeTsMs,
      exchangeTsIsReceiveTime: false,
    },
    ...{ receivedTsMs: exchangeTsMs + 4, ordinal: step * ENTRIES_A_STEP + slot, epoch: 1 },
  });
  const price = 100 + (step % 40);
  const levels = (sign: number) =>
    Array.from({ length: 3 }, (_level, index) => ({ price: String(price + sign * (index + 1)), size: '0.5', venueSize: '50' }));
  const events: (readonly [string, MarketEvent])[] = [['book', { kind: 'book', ...envelope(1), bids: levels(-1), asks: levels(1) }]];
  if (step % 2 === 0)
    events.push([
      'trades',
      { kind: 'trade', ...envelope(2), price: String(price), size: '0.25', aggressorSide: step % 4 === 0 ? 'buy' : 'sell' },
    ]);
  if (isSimulated(symbol) && step % 20 === 0)
    events.push([
      'context',
      { kind: 'context', ...envelope(3), fundingRate: '0.0000125', openInterest: '1200.50', markPrice: String(price) },
    ]);
  if (isSimulated(symbol) && step % 30 === 0)
    events.push([
      'liquidations',
      { kind: 'liquidation', ...envelope(4), positionSide: 'long', price: String(price), size: '0.1', provenance: 'venue_reported' },
    ]);
  events.push(['control', { kind: 'tick', ...envelope(5), feedClockMs: exchangeTsMs }]);
  return events;
}

function packetRow(symbol: string, windowEndMs: number): marketData.DataRow {
  const packet = madePacket(symbol, windowEndMs);
  return {
    ...{
      channel: 'packets',
      sequence: packet.closingOrdinal,
      epoch: 1,
      exchangeTsMs: windowEndMs,
      receivedTsMs: packet.knownTsMs,
      flags: 0,
    },
    ...{ line: packet.body, packetDigest: packet.packetDigest, packetWindowEndMs: windowEndMs },
  };
}

const made = new Map<string, readonly marketData.DataRow[]>();

/** Rows of a window of exchange time in log order, determined by symbol and time. */
export function madeRows(symbol: string, startMs: number, endMs: number, channels: readonly string[]): readonly marketData.DataRow[] {
  const key = JSON.stringify([symbol, startMs, endMs, channels]);
  const rows = made.get(key) ?? makeRows(symbol, startMs, endMs, channels);
  made.set(key, rows);
  return rows;
}

function makeRows(symbol: string, startMs: number, endMs: number, channels: readonly string[]): marketData.DataRow[] {
  const rows: marketData.DataRow[] = [];
  const flags = isSimulated(symbol) ? 16 : 0;
  for (let step = Math.max(0, Math.ceil((startMs - LOG_START_MS) / STEP_MS)); LOG_START_MS + step * STEP_MS < endMs; step += 1) {
    for (const [channel, event] of eventsOf(symbol, step)) {
      if (!channels.includes(channel)) continue;
      rows.push({
        channel,
        sequence: event.ordinal,
        epoch: 1,
        exchangeTsMs: event.exchangeTsMs,
        receivedTsMs: event.receivedTsMs,
        flags,
        line: Buffer.from(rowLine(event)),
        packetDigest: '',
        packetWindowEndMs: 0,
      });
    }
  }
  if (channels.includes('packets'))
    for (let endOfWindow = Math.ceil(startMs / 10_000) * 10_000; endOfWindow < endMs; endOfWindow += 10_000)
      rows.push(packetRow(symbol, endOfWindow));
  return rows.sort((a, b) => a.sequence - b.sequence);
}
