import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { instrumentOf, recordingLines, recordingLog, type MarketEvent } from '@market-state/market-data';

const FOLDER = join(__dirname, '../../market-data/recordings/binance-coinm');
const FILES: Readonly<Record<string, readonly string[]>> = {
  'BTCUSD-PERP': ['btcusd_perp_20240808.gz', 'btcusd_perp_20240809.gz'],
  'ETHUSD-PERP': ['ethusd_perp_20240808.gz', 'ethusd_perp_20240809.gz'],
};

/** Symbols with a bundled recording. */
export const RECORDED_SYMBOLS = Object.keys(FILES);

/** The log of a bundled recording that is played over and over, the first pass at its own times. */
export function playRecording(symbol: string): Generator<MarketEvent, never, undefined> {
  const lines = (FILES[symbol] ?? []).flatMap((file) => [...recordingLines(gunzipSync(readFileSync(join(FOLDER, file))))]);
  return recordingLog({ instrument: instrumentOf(symbol), lines, firstShiftMs: 0 });
}

/** The log of `passes` passes over a bundled recording, the first at its own times. */
export function recordingEvents(symbol: string, passes = 1): readonly MarketEvent[] {
  const events: MarketEvent[] = [];
  for (const event of playRecording(symbol)) {
    if (event.pass > passes) break;
    events.push(event);
  }
  return events;
}
