import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { join } from 'node:path';
import type { EventLog, LogEntry } from '@market-state/event-log';
import { workspaceRoot } from '@market-state/launcher';
import {
  bundledFiles,
  encodeEvent,
  instrumentOf,
  nearestShift,
  recordingLines,
  recordingLog,
  recordingSpan,
} from '@market-state/market-data';
import { comesTrue } from '@market-state/testing';

export function bundledRecording(file: string): string {
  return join(workspaceRoot(), 'libs', 'domain', 'market-data', 'recordings', 'binance-coinm', file);
}

/** Entries per append, and maximum lag of the recorder. */
const BATCH = 500;
const AHEAD_MAX = 20_000;
const POLL_MS = 20;

export interface Played {
  readonly symbol: string;
  readonly entryTotal: number;
  /** SHA-256 over every entry's payload, in order. */
  readonly digest: string;
}

/** A bundled recording, repeated between two feed clock times. */
interface Playing {
  readonly symbol: string;
  /** Receive time of the first message in epoch milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Appends a recording's log as fast as the recorder accepts it, and trims committed entries, as a feed does.
 * Deterministic.
 */
export async function playLog(log: EventLog, playing: Playing, signal: AbortSignal): Promise<Played> {
  const { symbol } = playing;
  const digest = createHash('sha256');
  let entryTotal = 0;
  for (const batch of batchesOf(playing)) {
    for (const { payload } of batch) digest.update(payload);
    entryTotal += batch.length;
    await log.append(symbol, batch);
    await comesTrue(isAccepted, { limitMs: Infinity, everyMs: POLL_MS });
  }
  return { symbol, entryTotal, digest: digest.digest('hex') };

  async function isAccepted(): Promise<boolean> {
    signal.throwIfAborted();
    const committed = (await log.positions(symbol))['recorder'];
    if (committed !== undefined) await log.trim(symbol, committed);
    return entryTotal - (committed?.ordinal ?? 0) < AHEAD_MAX;
  }
}

function* batchesOf({ symbol, startMs, endMs }: Playing): Generator<LogEntry[]> {
  const unpacked = (bundledFiles[symbol] ?? []).map((file) => gunzipSync(readFileSync(bundledRecording(file))));
  const lines = {
    *[Symbol.iterator]() {
      for (const bytes of unpacked) yield* recordingLines(bytes);
    },
  };
  const instrument = instrumentOf(symbol);
  const firstShiftMs = nearestShift(recordingSpan(lines, instrument.venueInstrument), startMs);
  let batch: LogEntry[] = [];
  for (const event of recordingLog({ instrument, lines, firstShiftMs })) {
    if (event.receivedTsMs > endMs) break;
    batch.push({ epoch: event.epoch, ordinal: event.ordinal, payload: encodeEvent(event) });
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
