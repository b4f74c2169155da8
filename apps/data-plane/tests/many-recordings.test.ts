import { ReadStream } from 'node:fs';
import { dirname } from 'node:path';
import { parseInstrumentRows } from '@market-state/market-data';
import { nextPass } from '../src/feed/feed-state';
import { passEvents, type PlayedRecording, readRecordings } from '../src/feed/recordings';
import { shortRecording } from './short-recording';

const SYMBOL_TOTAL = 12;
const recording = shortRecording('BTCUSD-PERP', 2_400);
const rows = parseInstrumentRows(
  JSON.stringify(
    Array.from({ length: SYMBOL_TOTAL }, (_, index) => ({
      symbol: `BTC${index}USD-PERP`,
      feed: 'recording',
      venue: 'binance-coinm',
      channels: ['book', 'trades'],
      book_staleness_ms: 5_000,
      trade_staleness_ms: 60_000,
      context_staleness_ms: 120_000,
      closing_lag_ms: 1_000,
      venue_instrument: 'BTCUSD_PERP',
      contract_value: '100',
    })),
  ),
);
const recordings = Object.fromEntries(rows.map(({ symbol }) => [symbol, recording.files]));
afterAll(() => recording.remove());

/** Open recording files, and their peak since the last call. */
function countOpenFiles(): { now(): number; takePeak(): number; stop(): void } {
  const construct = ReadStream.prototype._construct;
  const streams: ReadStream[] = [];
  const now = (): number => streams.filter(({ destroyed }) => !destroyed).length;
  let peak = 0;
  const spy = jest.spyOn(ReadStream.prototype as Required<ReadStream>, '_construct').mockImplementation(function (this: ReadStream, done) {
    if (dirname(this.path.toString()) === dirname(recording.files[0] ?? '')) {
      streams.push(this);
      peak = Math.max(peak, now());
    }
    construct?.call(this, done);
  });
  return {
    now,
    takePeak: () => {
      const taken = peak;
      peak = now();
      return taken;
    },
    stop: () => spy.mockRestore(),
  };
}

/** @returns the number of events */
async function playPass({ facts, source }: PlayedRecording): Promise<number> {
  const { span, digest, instrument } = facts;
  const progress = { lastOrdinal: 0, lastFeedClockMs: 0, safeExchangeTsMs: 0, reservedOrdinal: 0, reservedFeedClockMs: 0 };
  const place = {
    symbol: instrument.symbol,
    epoch: 1,
    pass: 0,
    shiftMs: 0,
    passFirstOrdinal: 1,
    opening: 'first',
    openingStartMs: 0,
  } as const;
  const state = { ...nextPass({ ...place, recording: digest, progress }, span, progress, undefined), opening: 'first' } as const;
  let total = 0;
  for await (const { event } of passEvents(state, facts, source).events) total = event.ordinal;
  return total;
}

test(`of ${SYMBOL_TOTAL} symbols, two recordings are opened at a time, and each is played from one open file at a time`, async () => {
  const files = countOpenFiles();
  try {
    const played = await readRecordings({ recordings, rows });
    expect(played.map(({ facts }) => facts.instrument.symbol)).toEqual(rows.map(({ symbol }) => symbol));
    expect(files.now()).toBe(0);
    expect(files.takePeak()).toBeLessThanOrEqual(2 * recording.files.length);

    const opened = await Promise.all(played.map(({ source }) => source()));
    expect([files.now(), files.takePeak()]).toEqual([0, 2]);
    expect(opened).toHaveLength(SYMBOL_TOTAL);

    const totals = await Promise.all(played.map(playPass));
    expect(new Set(totals).size).toBe(1);
    expect(totals[0]).toBeGreaterThan(200);
    expect(files.takePeak()).toBeLessThanOrEqual(SYMBOL_TOTAL);
    expect(files.now()).toBe(0);
  } finally {
    files.stop();
  }
});
