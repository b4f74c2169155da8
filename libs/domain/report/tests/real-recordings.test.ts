import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { createState, loadPolicy, reduce } from '@market-state/labeler';
import { openRecording, recordingLineBatches } from '@market-state/market-data';
import { sampleOf, type ReportSample } from '../src/index';
import { counts, flipsOf, stateShares } from '../src/statistics';

const FOLDER = join(__dirname, '../../market-data/recordings/binance-coinm');

/** The bundled recording, labelled. */
async function samplesOf(symbol: string, name: string): Promise<readonly ReportSample[]> {
  const files = ['20240808', '20240809'].map((day) => `${name}_${day}.gz`);
  const { events } = await openRecording(
    files.map((file) => ({ name: file, lines: recordingLineBatches(createReadStream(join(FOLDER, file)).pipe(createGunzip())) })),
    { symbol },
  );
  const state = createState(symbol, loadPolicy());
  const samples: ReportSample[] = [];
  for await (const batch of events) {
    for (const { packet } of batch.flatMap((event) => reduce(state, event))) samples.push(sampleOf(packet));
  }
  return samples;
}

describe.each([
  ['BTCUSD-PERP', 'btcusd_perp'],
  ['ETHUSD-PERP', 'ethusd_perp'],
])('the labels of the %s recording tell windows apart', (symbol, name) => {
  let samples: readonly ReportSample[];
  beforeAll(async () => {
    samples = await samplesOf(symbol, name);
  });

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
