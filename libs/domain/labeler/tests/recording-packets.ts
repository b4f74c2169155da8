import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { instrumentOf, nextShift, recordingLines, recordingPass, recordingSpan } from '@market-state/market-data';
import { createState, loadPolicy, reduce, type PacketResult } from '../src/index';

const FOLDER = join(__dirname, '../../market-data/recordings/binance-coinm');
const FILES: Readonly<Record<string, readonly string[]>> = {
  'BTCUSD-PERP': ['btcusd_perp_20240808.gz', 'btcusd_perp_20240809.gz'],
  'ETHUSD-PERP': ['ethusd_perp_20240808.gz', 'ethusd_perp_20240809.gz'],
};

/** Symbols with a bundled recording. */
export const RECORDED_SYMBOLS = Object.keys(FILES);

/** The packets of `passes` passes over a bundled recording, at its own times. */
export function recordingPackets(symbol: string, passes = 1): readonly PacketResult[] {
  const lines = (FILES[symbol] ?? []).flatMap((file) => [...recordingLines(gunzipSync(readFileSync(join(FOLDER, file))))]);
  const instrument = instrumentOf(symbol);
  const span = recordingSpan(lines, instrument.venueInstrument);
  const state = createState(symbol, loadPolicy());
  const results: PacketResult[] = [];
  let firstOrdinal = 1;
  let shiftMs = 0;
  for (let pass = 1; pass <= passes; pass++) {
    const endFeedClockMs = span.firstReceivedMs + nextShift(span, shiftMs);
    const seam = pass === 1 ? {} : { previousLastExchangeMs: span.lastExchangeMs + shiftMs - passLength(span) };
    for (const { event } of recordingPass({ lines, span, instrument, pass, epoch: 1, firstOrdinal, shiftMs, endFeedClockMs, ...seam }).events) {
      results.push(...reduce(state, event));
      firstOrdinal = event.ordinal + 1;
    }
    shiftMs = nextShift(span, shiftMs);
  }
  return results;
}

function passLength(span: Parameters<typeof nextShift>[0]): number {
  return nextShift(span, 0);
}
