import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { instrumentOf, passLengthMs, recordingLines, recordingPass, recordingSpan } from '../src/index';

/**
 * CPU time from recording files to events, against gunzip and JSON.parse of every line of the same files, in one run.
 * Run: npx tsx libs/domain/market-data/bench/normalize.ts
 */

const FOLDER = join(__dirname, '..', 'recordings', 'binance-coinm');
const ROUNDS = 7;
const RECORDINGS = [
  { symbol: 'BTCUSD-PERP', files: ['btcusd_perp_20240808.gz', 'btcusd_perp_20240809.gz'] },
  { symbol: 'ETHUSD-PERP', files: ['ethusd_perp_20240808.gz', 'ethusd_perp_20240809.gz'] },
];

for (const { symbol, files } of RECORDINGS) {
  const packed = files.map((file) => readFileSync(join(FOLDER, file)));
  const instrument = instrumentOf(symbol);
  const span = recordingSpan(linesOf(packed), instrument.venueInstrument);
  const bareMs: number[] = [];
  const eventMs: number[] = [];
  let lines = 0;
  let events = 0;
  for (let round = 0; round < ROUNDS; round++) {
    lines = 0;
    events = 0;
    let startedMs = cpuMs();
    for (const line of linesOf(packed)) {
      JSON.parse(line.slice(20));
      lines++;
    }
    bareMs.push(cpuMs() - startedMs);
    startedMs = cpuMs();
    const endFeedClockMs = span.firstReceivedMs + passLengthMs(span);
    const pass = recordingPass({ lines: linesOf(packed), span, instrument, pass: 1, shiftMs: 0, firstOrdinal: 1, epoch: 1, endFeedClockMs });
    for (const entry of pass.events) events += entry.event.ordinal > 0 ? 1 : 0;
    eventMs.push(cpuMs() - startedMs);
  }
  const bare = median(bareMs);
  const ours = median(eventMs);
  const rate = Math.round((lines / ours) * 1_000);
  console.log(`${symbol}: ${lines} lines, ${events} events; gunzip + JSON.parse ${bare.toFixed(0)} ms, to events ${ours.toFixed(0)} ms, ratio ${(ours / bare).toFixed(2)}, ${rate} lines/s`);
}

function* linesOf(packed: readonly Buffer[]): Generator<string> {
  for (const bytes of packed) yield* recordingLines(gunzipSync(bytes));
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
