import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { instrumentOf, nextShift, recordingLines, recordingPass, recordingSpan, type MarketEvent } from '@market-state/market-data';

const FOLDER = join(__dirname, '../../market-data/recordings/binance-coinm');
const FILES: Readonly<Record<string, readonly string[]>> = {
  'BTCUSD-PERP': ['btcusd_perp_20240808.gz', 'btcusd_perp_20240809.gz'],
  'ETHUSD-PERP': ['ethusd_perp_20240808.gz', 'ethusd_perp_20240809.gz'],
};

/** Symbols with a bundled recording. */
export const RECORDED_SYMBOLS = Object.keys(FILES);

/** The log of `passes` passes over a bundled recording, the first at its own times. */
export function recordingEvents(symbol: string, passes = 1): readonly MarketEvent[] {
  const lines = (FILES[symbol] ?? []).flatMap((file) => [...recordingLines(gunzipSync(readFileSync(join(FOLDER, file))))]);
  const instrument = instrumentOf(symbol);
  const span = recordingSpan(lines, instrument.venueInstrument);
  const passLengthMs = nextShift(span, 0);
  const events: MarketEvent[] = [];
  for (let pass = 1; pass <= passes; pass++) {
    const shiftMs = (pass - 1) * passLengthMs;
    const seam = pass === 1 ? {} : { previousLastExchangeMs: span.lastExchangeMs + shiftMs - passLengthMs };
    const place = { pass, epoch: 1, firstOrdinal: events.length + 1, shiftMs, endFeedClockMs: span.firstReceivedMs + shiftMs + passLengthMs };
    for (const { event } of recordingPass({ lines, span, instrument, ...place, ...seam }).events) events.push(event);
  }
  return events;
}
