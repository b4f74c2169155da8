import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { instrumentOf, nextShift, type PlacedEvent, recordingLines, recordingPass, recordingSpan } from '../src/index';
import type { RecordingPassInput } from '../src/recording-log';
import { type RawRecording, readRaw } from './oracle';

const FOLDER = join(import.meta.dirname, '..', 'recordings', 'binance-coinm');

const linesBySymbol = new Map<string, readonly string[]>();

/** Cached lines of a bundled recording. */
export function readLines(symbol: string): readonly string[] {
  const lines = linesBySymbol.get(symbol) ?? linesOf(symbol);
  linesBySymbol.set(symbol, lines);
  return lines;
}

const rawBySymbol = new Map<string, RawRecording>();

/** Cached naive reading. */
export function rawRecording(symbol: string): RawRecording {
  const raw = rawBySymbol.get(symbol) ?? readRaw(readLines(symbol));
  rawBySymbol.set(symbol, raw);
  return raw;
}

const passBySymbol = new Map<string, readonly PlacedEvent[]>();

/** Cached entries of one pass. */
export function recordedPass(symbol: string): readonly PlacedEvent[] {
  const entries = passBySymbol.get(symbol) ?? [...recordingPass(passInput(symbol, readLines(symbol))).events];
  passBySymbol.set(symbol, entries);
  return entries;
}

function linesOf(symbol: string): string[] {
  const name = instrumentOf(symbol).venueInstrument.toLowerCase();
  return ['20240808', '20240809'].flatMap((day) => [...recordingLines(gunzipSync(readFileSync(join(FOLDER, `${name}_${day}.gz`))))]);
}

/** First pass, unshifted. */
export function passInput(symbol: string, lines: readonly string[]): RecordingPassInput {
  const instrument = instrumentOf(symbol);
  const span = recordingSpan(lines, instrument.venueInstrument);
  return {
    lines,
    span,
    instrument,
    pass: 1,
    epoch: 1,
    firstOrdinal: 1,
    shiftMs: 0,
    endFeedClockMs: span.firstReceivedMs + nextShift(span, 0),
  };
}

/** Deterministic numbers in 0..1. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
