import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { createState, loadPolicy, reduce } from '@market-state/labeler';
import { openRecording, recordingLineBatches } from '@market-state/market-data';
import { sampleOf } from '@market-state/packet-figures';
import { StabilityTally, type Stability } from '../src/index';

const FOLDER = join(import.meta.dirname, '../../market-data/recordings/binance-coinm');

/** The bundled recording, labelled and measured. */
async function stabilityOf(symbol: string, name: string): Promise<Stability> {
  const files = ['20240808', '20240809'].map((day) => `${name}_${day}.gz`);
  const { events } = await openRecording(
    files.map((file) => ({ name: file, lines: recordingLineBatches(createReadStream(join(FOLDER, file)).pipe(createGunzip())) })),
    { symbol },
  );
  const state = createState(symbol, loadPolicy());
  const tally = new StabilityTally();
  for await (const batch of events) {
    for (const entry of batch) {
      tally.addEntry(entry);
      for (const { packet } of reduce(state, entry)) tally.addPacket(sampleOf(packet));
    }
  }
  return tally.result();
}

const percent = (share: number | undefined | null): number => Math.round(100 * (share ?? Number.NaN));

test.each([
  ['BTCUSD-PERP', 'btcusd_perp', [28, 39, 125, 22, 'market_state_watch', 69, 0, 0.37]],
  ['ETHUSD-PERP', 'ethusd_perp', [17, 17, 140, 9, 'market_state_watch', 57, 0, 0.39]],
] as const)('the labels of the %s recording are as steady as they were measured', async (symbol, name, measured) => {
  const stability = await stabilityOf(symbol, name);
  const [largest] = stability.states;
  expect(stability.liveSeconds).toBe(650);
  expect([
    Math.round(stability.flipsPerHour ?? Number.NaN),
    Math.round(stability.classChangesPerHour ?? Number.NaN),
    stability.medianDwellSeconds,
    percent(stability.notWinnerShare),
    largest?.value,
    percent(largest?.share),
    percent(stability.highShare),
    percent(stability.severityVolatilityCorrelation) / 100,
  ]).toEqual(measured);
});
