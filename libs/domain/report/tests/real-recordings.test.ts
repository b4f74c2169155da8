import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createState, loadPolicy, reduce } from '@market-state/labeler';
import { instrumentOf, nextShift, recordingLines, recordingPass, recordingSpan } from '@market-state/market-data';
import { gunzipSync } from 'node:zlib';
import { counts, flipsOf, sampleOf, stateShares, type ReportSample } from '../src/index';

const FOLDER = join(__dirname, '../../market-data/recordings/binance-coinm');

/** One pass over a bundled recording, at its own times. */
function samplesOf(symbol: string, name: string): readonly ReportSample[] {
  const lines = ['20240808', '20240809'].flatMap((day) => [...recordingLines(gunzipSync(readFileSync(join(FOLDER, `${name}_${day}.gz`))))]);
  const instrument = instrumentOf(symbol);
  const span = recordingSpan(lines, instrument.venueInstrument);
  const place = { pass: 1, epoch: 1, firstOrdinal: 1, shiftMs: 0, endFeedClockMs: span.firstReceivedMs + nextShift(span, 0) };
  const state = createState(symbol, loadPolicy());
  const samples: ReportSample[] = [];
  for (const { event } of recordingPass({ lines, span, instrument, ...place }).events) {
    for (const { packet } of reduce(state, event)) samples.push(sampleOf(packet));
  }
  return samples;
}

describe.each([
  ['BTCUSD-PERP', 'btcusd_perp'],
  ['ETHUSD-PERP', 'ethusd_perp'],
])('the labels of the %s recording tell windows apart', (symbol, name) => {
  const samples = samplesOf(symbol, name);

  test('no state holds more than 70 % of the time outside holes, and at least four appear', () => {
    const shares = stateShares(samples);
    expect(shares.length).toBeGreaterThanOrEqual(4);
    for (const { shareOutsideHoles } of shares) expect(shareOutsideHoles ?? 0).toBeLessThanOrEqual(0.7);
  });

  test('at least five event classes appear', () => {
    expect(counts(samples, ({ eventClass }) => [eventClass]).length).toBeGreaterThanOrEqual(5);
  });

  test('the published state changes fewer than 120 times an hour', () => {
    expect(flipsOf(samples).perHour).toBeLessThan(120);
  });
});
