import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createState, loadPolicy, reduce, restoreState, serializeState } from '@market-state/labeler';
import { instrumentOf, type MarketEvent, passLengthMs, recordingLines, recordingPass, recordingSpan } from '@market-state/market-data';
import { toCheckpoint } from '../src/checkpoints/make-checkpoint';

/**
 * What an hourly checkpoint costs: size of the state, raw and packed, and the time of each part, over the states of a
 * recording at its hours. Run: npx tsx apps/labeling/bench/checkpoint-cost.ts
 */

const FOLDER = join(__dirname, '../../../libs/domain/market-data/recordings/binance-coinm');
const FILES = ['btcusd_perp_20240808.gz', 'btcusd_perp_20240809.gz'];
const SYMBOL = 'BTCUSD-PERP';
const HOURS = 8;
const HOUR_MS = 3_600_000;

const policy = loadPolicy();

function* passes(): Generator<MarketEvent> {
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

function timed<T>(work: () => T): [T, number] {
  const startedMs = performance.now();
  const result = work();
  return [result, performance.now() - startedMs];
}

async function main(): Promise<void> {
  const state = createState(SYMBOL, policy);
  let hours = 0;
  for (const event of passes()) {
    const newest = reduce(state, event).at(-1);
    if (newest === undefined || newest.windowEndMs % HOUR_MS !== 0) continue;
    hours += 1;
    const [bytes, serializeMs] = timed(() => serializeState(state));
    const startedMs = performance.now();
    const checkpoint = await toCheckpoint({ ...newest, id: event, state: bytes });
    const packMs = performance.now() - startedMs;
    const [, restoreMs] = timed(() => restoreState(bytes, policy));
    const parts = [`${hours} h`, `raw ${bytes.length}`, `gzip ${checkpoint.stateGzip.length}`, `serialize ${serializeMs.toFixed(1)} ms`];
    process.stdout.write(`${[...parts, `digest and gzip ${packMs.toFixed(1)} ms`, `restore ${restoreMs.toFixed(1)} ms`].join(', ')}\n`);
    if (hours === HOURS) return;
  }
}

void main();
