import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { instrumentOf, nextShift, recordingLines, recordingPass, recordingSpan, type MarketEvent } from '@market-state/market-data';
import { createState, loadPolicy, reduce } from '../src/index';

/**
 * `node --import @oxc-node/core/register libs/domain/labeler/bench/label-recording.ts [rounds]`: CPU time of recording
 * → packets, compared with gunzip + JSON.parse of the same files.
 */
const FOLDER = join(import.meta.dirname, '../../market-data/recordings/binance-coinm');
const FILES = ['btcusd_perp_20240808.gz', 'btcusd_perp_20240809.gz'];
const SYMBOL = 'BTCUSD-PERP';

const policy = loadPolicy();
const instrument = instrumentOf(SYMBOL);

function unpack(): Uint8Array[] {
  return FILES.map((file) => gunzipSync(readFileSync(join(FOLDER, file))));
}

function parseOnly(): number {
  let messages = 0;
  for (const bytes of unpack()) {
    for (const line of recordingLines(bytes)) {
      JSON.parse(line.slice(line.indexOf(' ') + 1));
      messages++;
    }
  }
  return messages;
}

function* linesOf(files: readonly Uint8Array[]): Generator<string> {
  for (const bytes of files) yield* recordingLines(bytes);
}

/** Reads first and last receive times from head and tail only, which a single pass needs. */
function spanOf(files: readonly Uint8Array[]) {
  const head = files[0]?.subarray(0, 100_000) ?? new Uint8Array();
  const tail = files.at(-1)?.subarray(-100_000) ?? new Uint8Array();
  return recordingSpan([...[...recordingLines(head)].slice(0, -1), ...[...recordingLines(tail)].slice(1)], instrument.venueInstrument);
}

function play(apply: (event: MarketEvent) => void): void {
  const files = unpack();
  const span = spanOf(files);
  const endFeedClockMs = span.firstReceivedMs + nextShift(span, 0);
  const pass = recordingPass({ lines: linesOf(files), span, instrument, pass: 1, epoch: 1, firstOrdinal: 1, shiftMs: 0, endFeedClockMs });
  for (const { event } of pass.events) apply(event);
}

function label(): number {
  const state = createState(SYMBOL, policy);
  let packets = 0;
  play((event) => {
    packets += reduce(state, event).length;
  });
  return packets;
}

function normalizeOnly(): number {
  let events = 0;
  play(() => {
    events++;
  });
  return events;
}

function cpuMs(work: () => number): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const rounds = Number(process.argv[2] ?? 5);
const works = { 'gunzip + JSON.parse': parseOnly, 'recording → events': normalizeOnly, 'recording → packets': label };
const times: Record<string, number[]> = {};
for (let round = 0; round < rounds; round++) {
  for (const [name, work] of Object.entries(works)) (times[name] ??= []).push(cpuMs(work));
}
const base = Math.min(...(times['gunzip + JSON.parse'] ?? [1]));
for (const [name, each] of Object.entries(times)) {
  const best = Math.min(...each);
  process.stdout.write(
    `${name.padEnd(22)} first ${each[0]?.toFixed(0)} ms, best ${best.toFixed(0)} ms CPU, ${(best / base).toFixed(2)} ` +
      `× gunzip + JSON.parse\n`,
  );
}
process.stdout.write(`${label()} packets\n`);
