import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { instrumentOf, type MarketEvent, recordingLines, recordingLog } from '@market-state/market-data';

const FOLDER = join(import.meta.dirname, '../../../libs/domain/market-data/recordings/binance-coinm');
const FILES = ['btcusd_perp_20240808.gz', 'btcusd_perp_20240809.gz'];

export const SYMBOL = 'BTCUSD-PERP';
export const HOUR_MS = 3_600_000;

/** Endless log of the bundled recording, pass after pass. */
export function recordingEvents(): Generator<MarketEvent> {
  const lines = FILES.flatMap((file) => [...recordingLines(gunzipSync(readFileSync(join(FOLDER, file))))]);
  return recordingLog({ instrument: instrumentOf(SYMBOL), lines, firstShiftMs: 0 });
}
