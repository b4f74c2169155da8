import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { openRecording, recordingLineBatches, type RecordingFile } from '../src/index';

/**
 * CPU time from recording files to events, relative to gunzip and JSON.parse of the same lines. COIN-M recordings are
 * bundled; other venues need RECORDINGS_DIR. Run: node --import @oxc-node/core/register
 * libs/domain/market-data/bench/normalize.ts
 */

interface Recording {
  readonly symbol: string;
  readonly files: readonly string[];
}

const BUNDLED = join(import.meta.dirname, '..', 'recordings');
const OUTSIDE = process.env['RECORDINGS_DIR'] ?? '';
const ROUNDS = 7;

const RECORDINGS: readonly Recording[] = [
  { symbol: 'BTCUSD-PERP', files: filesIn(BUNDLED, 'binance-coinm', 'btcusd') },
  { symbol: 'ETHUSD-PERP', files: filesIn(BUNDLED, 'binance-coinm', 'ethusd') },
  { symbol: 'BTCUSD-PERP', files: filesIn(OUTSIDE, 'binance-usdm', 'btcusdt') },
  { symbol: 'BTCUSD-PERP', files: filesIn(OUTSIDE, 'hyperliquid/archive', 'BTC') },
  { symbol: 'ETHUSD-PERP', files: filesIn(OUTSIDE, 'hyperliquid/collector', '20251210s2') },
  { symbol: 'BTCUSD-PERP', files: filesIn(OUTSIDE, 'bybit', 'BYBIT') },
];

void main();

async function main(): Promise<void> {
  for (const recording of RECORDINGS) if (recording.files.length > 0) await measure(recording);
}

async function measure({ symbol, files }: Recording): Promise<void> {
  const packed = files.map((file) => ({ name: basename(file), bytes: readFileSync(file) }));
  const bareMs: number[] = [];
  const eventMs: number[] = [];
  let lines = 0;
  let events = 0;
  let format = '';
  for (let round = 0; round < ROUNDS; round++) {
    lines = 0;
    events = 0;
    let startedMs = cpuMs();
    for (const { bytes } of packed) {
      for await (const batch of recordingLineBatches(chunksOf(gunzipSync(bytes)))) {
        for (const line of batch) parseLine(line);
        lines += batch.length;
      }
    }
    bareMs.push(cpuMs() - startedMs);
    startedMs = cpuMs();
    const sources = packed.map(({ name, bytes }): RecordingFile => ({ name, lines: recordingLineBatches(chunksOf(gunzipSync(bytes))) }));
    const recording = await openRecording(sources, { symbol });
    for await (const batch of recording.events) events += batch.length;
    eventMs.push(cpuMs() - startedMs);
    format = recording.format;
  }
  const bare = median(bareMs);
  const ours = median(eventMs);
  const rate = Math.round((lines / ours) * 1_000);
  console.log(
    `${format} ${symbol}: ${lines} lines, ${events} events; gunzip + JSON.parse ${bare.toFixed(0)} ms, to events ${ours.toFixed(0)} ms, ` +
      `ratio ${(ours / bare).toFixed(2)}, ${rate} lines/s`,
  );
}

function filesIn(root: string, folder: string, prefix: string): string[] {
  const path = join(root, folder);
  if (root === '' || !existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => name.startsWith(prefix) && name.endsWith('.gz'))
    .sort()
    .map((name) => join(path, name));
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

function parseLine(line: string): unknown {
  const brace = line.indexOf('{');
  return brace < 0 ? line.split(',') : JSON.parse(brace === 0 ? line : line.slice(brace));
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
