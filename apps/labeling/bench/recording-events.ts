import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { instrumentOf, type MarketEvent, passLengthMs, recordingLines, recordingPass, recordingSpan } from '@market-state/market-data';

const FOLDER = join(__dirname, '../../../libs/domain/market-data/recordings/binance-coinm');
const FILES = ['btcusd_perp_20240808.gz', 'btcusd_perp_20240809.gz'];

export const SYMBOL = 'BTCUSD-PERP';
export const HOUR_MS = 3_600_000;

/** The log that the bundled recording makes, pass after pass, for ever. */
export function* recordingEvents(): Generator<MarketEvent> {
  const files = FILES.map((file) => gunzipSync(readFileSync(join(FOLDER, file))));
  const lines = function* () {
    for (const bytes of files) yield* recordingLines(bytes);
  };
  const instrument = instrumentOf(SYMBOL);
  const span = recordingSpan(lines(), instrument.venueInstrument);
  let ordinal = 0;
  for (let pass = 1; ; pass += 1) {
    const shiftMs = (pass - 1) * passLengthMs(span);
    const place = { span, instrument, pass, shiftMs, firstOrdinal: ordinal + 1, epoch: 1, endFeedClockMs: span.firstReceivedMs + shiftMs + passLengthMs(span) };
    for (const { event } of recordingPass({ ...place, lines: lines() }).events) {
      ordinal = event.ordinal;
      yield event;
    }
  }
}
