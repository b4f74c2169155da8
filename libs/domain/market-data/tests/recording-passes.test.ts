import { createReadStream } from 'node:fs';
import { type MarketEvent, nextShift, openRecording, recordingLineBatches, type RecordingFile } from '../src/index';
import { fixturePath } from './open-files';

/** Handwritten recording of every format, with the played symbol. */
const recordings: readonly (readonly [format: string, symbol: string, ...files: string[]])[] = [
  ['binance-coinm', 'BTCUSD-PERP', 'btcusd_perp.txt'],
  ['binance-usdm', 'BTCUSD-PERP', 'btcusdt.txt'],
  ['bybit', 'BTCUSD-PERP', 'btcusdt-dogeusdt.jsonl'],
  ['hyperliquid-archive', 'BTCUSD-PERP', 'btc.jsonl'],
  ['hyperliquid-collector', 'BTCUSD-PERP', 'hand_orderbooks_BTC.csv', 'hand_prices_BTC.csv', 'hand_trades_BTC.csv'],
  ['hyperliquid-ws', 'BTCUSD-PERP', 'btc.txt'],
  ['hyperliquid-ws', 'SIMUSD-PERP', 'sim.txt'],
  ['market-state-rows', 'BTCUSD-PERP', 'rows.ndjson'],
];

function filesOf(format: string, names: readonly string[]): RecordingFile[] {
  return names.map((name) => ({ name, lines: recordingLineBatches(createReadStream(fixturePath(format, name))) }));
}

/** Consecutive passes, as a feed plays them. */
async function twoPasses(format: string, symbol: string, names: readonly string[], firstShiftMs: number): Promise<MarketEvent[]> {
  const span = await (await openRecording(filesOf(format, names), { symbol })).span();
  const events: MarketEvent[] = [];
  let shiftMs = firstShiftMs;
  for (const pass of [1, 2]) {
    const recording = await openRecording(filesOf(format, names), { symbol });
    const next = nextShift(span, shiftMs);
    const previousLastExchangeMs = pass === 1 ? undefined : span.lastExchangeMs + firstShiftMs;
    const played = recording.pass({
      pass,
      epoch: 3,
      firstOrdinal: events.length + 1,
      span,
      shiftMs,
      previousLastExchangeMs,
      endFeedClockMs: span.firstReceivedMs + next,
    });
    for await (const batch of played.events) events.push(...batch.map(({ event }) => event));
    shiftMs = next;
  }
  return events;
}

const gapIdsOf = (events: readonly MarketEvent[], pass: number): Set<string> =>
  new Set(
    events.flatMap((event) => (event.pass === pass && event.kind === 'feed_status' && 'gapId' in event.status ? [event.status.gapId] : [])),
  );

/** Market events with shifted times, without log positions; the last one without its receive time. */
function marketOf(events: readonly MarketEvent[], byMs: number): object[] {
  const market = events.filter(({ kind }) => kind !== 'tick' && kind !== 'feed_status');
  return market.map((event, index) => ({
    ...event,
    exchangeTsMs: event.exchangeTsMs + byMs,
    receivedTsMs: index === market.length - 1 ? 0 : event.receivedTsMs + byMs,
    ordinal: 0,
    epoch: 0,
    pass: 0,
  }));
}

describe.each(recordings)('passes of %s', (format, symbol, ...names) => {
  it('are one log: ordinals by 1, a clock that never falls, ticks without a gap, a seam between, no gap id twice', async () => {
    const events = await twoPasses(format, symbol, names, 50_000_000);
    expect(events.map(({ ordinal, epoch }) => [ordinal, epoch])).toEqual(events.map((_, index) => [index + 1, 3]));
    const clocks = events.map(({ receivedTsMs }) => receivedTsMs);
    expect(clocks).toEqual([...clocks].sort((a, b) => a - b));
    const ticks = events.flatMap((event) => (event.kind === 'tick' ? [event.feedClockMs] : []));
    expect(ticks).toEqual(ticks.map((_, index) => (ticks[0] ?? 0) + index * 250));
    const statuses = (pass: number) =>
      events.flatMap((event) => (event.kind === 'feed_status' && event.pass === pass ? [event.status.type] : []));
    expect(statuses(1).slice(0, 1)).toEqual(['connected']);
    expect(statuses(2).slice(0, 2)).toEqual(['seam', 'connected']);
    const second = gapIdsOf(events, 2);
    for (const id of gapIdsOf(events, 1)) expect(second).not.toContain(id);
    expect(events.some(({ kind, pass }) => kind === 'book' && pass === 2)).toBe(true);
  });

  it('hold what the recording itself gives, shifted; the pending book at its end comes with a tick of the time in between', async () => {
    const { events } = await openRecording(filesOf(format, names), { symbol });
    const alone: MarketEvent[] = [];
    for await (const batch of events) alone.push(...batch);
    const shifted = (await twoPasses(format, symbol, names, 50_000_000)).filter(({ pass }) => pass === 1);
    expect(marketOf(shifted, 0)).toEqual(marketOf(alone, 50_000_000));
  });
});
