import { gunzipSync } from 'node:zlib';
import { isServiceError, failedPrecondition } from '@market-state/errors';
import type { EntryId, LogEntry } from '@market-state/event-log';
import { StateRestoreError } from '@market-state/labeler';
import { delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { decodeEventHead, decodeEvent, type MarketEvent } from '@market-state/market-data';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { marketData } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import { type CheckpointReader, checkpointsBefore, type LabelStore } from './label-store';
import type { Labeler, Reducer } from './policy-labeler';

/** Entries processed without yielding: a few milliseconds, so that labelling continues in between. */
const BATCH_ENTRIES = 50;
const CONTRADICTING_MAX = 100;

export type LogClient = Pick<GrpcClient<marketData.MarketDataServiceService>['call'], 'streamLogEntries'>;

export interface ReadEntries {
  entryTotal: number;
  readonly contradictingOrdinals: number[];
}

export async function* readEntries(
  client: LogClient,
  range: marketData.StreamLogEntriesRequest,
  met: ReadEntries,
  signal: AbortSignal,
): AsyncGenerator<readonly MarketEvent[]> {
  for await (const { entries, contradictingOrdinals } of client.streamLogEntries(range, { signal })) {
    met.contradictingOrdinals.push(...contradictingOrdinals.slice(0, CONTRADICTING_MAX - met.contradictingOrdinals.length));
    for (let from = 0; from < entries.length; from += BATCH_ENTRIES) {
      const batch = entries.slice(from, from + BATCH_ENTRIES);
      met.entryTotal += batch.length;
      yield batch.map(decodeEvent);
      await nextTurn();
      signal.throwIfAborted();
    }
  }
  signal.throwIfAborted();
}

export const noLogClient: LogClient = {
  async *streamLogEntries() {
    throw failedPrecondition('upstream_unavailable', 'This labeling service is not connected to a data plane.');
  },
};

const RECORDED_POLL_MS = 250;

export interface RecordedEntriesDeps {
  readonly logEntries: LogClient;
  readonly checkpoints: CheckpointReader;
  readonly store: Pick<LabelStore, 'newestWindowEndMs'>;
  readonly labeler: Labeler;
  readonly logger: Logger;
}

interface Resumption {
  /** State restored from a checkpoint; undefined if the current one is still valid. */
  readonly restored?: { readonly reducer: Reducer; readonly silentUntilMs: number };
  readonly entries: AsyncGenerator<readonly LogEntry[]>;
}

/** Length of the prefix that continues `position` without missing ordinals, within one epoch. */
export function unbrokenTotal(position: EntryId, entries: readonly LogEntry[]): number {
  if (position.ordinal === 0) return unbrokenAfter(entries[0] as LogEntry, entries.slice(1)) + 1;
  return unbrokenAfter(position, entries);
}

function unbrokenAfter(first: EntryId, entries: readonly LogEntry[]): number {
  const at = entries.findIndex((entry, index) => {
    const before = index === 0 ? first : (entries[index - 1] as LogEntry);
    return entry.epoch !== before.epoch || entry.ordinal !== before.ordinal + 1;
  });
  return at === -1 ? entries.length : at;
}

/**
 * Resumes labelling from recorded entries when the log continues with `next` instead of the entry after `position`. A
 * store that lost its data may have delivered entries that were never recorded, and packets derived from those cannot
 * be derived again. Waits until `next` is recorded; every entry before it has then been recorded or lost. If the last
 * labelled entry is recorded, the current state stays valid. Otherwise the state comes from the newest checkpoint whose
 * entry is recorded, and windows with a packet are not written again.
 * @returns undefined if no recorded entries are available
 */
export async function resumeFromRecorded(
  deps: RecordedEntriesDeps,
  { symbol, position, next }: { readonly symbol: string; readonly position: EntryId; readonly next: EntryId },
  signal: AbortSignal,
): Promise<Resumption | undefined> {
  if (deps.logEntries === noLogClient || !(await untilRecorded(deps, symbol, next.ordinal, signal))) return undefined;
  const after = (ordinal: number) => recordedEntries(deps, { symbol, afterOrdinal: ordinal, toOrdinal: next.ordinal }, signal);
  if (await isRecorded(deps, symbol, position.ordinal, signal)) return { entries: after(position.ordinal) };
  const silentUntilMs = (await deps.store.newestWindowEndMs(symbol)) ?? 0;
  try {
    for await (const { windowEndMs, ordinal } of checkpointsBefore(deps.checkpoints, symbol, silentUntilMs + 1)) {
      if (!(await isRecorded(deps, symbol, ordinal, signal))) continue;
      const checkpoint = await deps.checkpoints.find(symbol, windowEndMs);
      if (checkpoint === undefined) continue;
      const reducer = deps.labeler.resume(gunzipSync(checkpoint.stateGzip));
      return { restored: { reducer, silentUntilMs }, entries: after(ordinal) };
    }
  } catch (error) {
    if (!(error instanceof StateRestoreError)) throw error;
    return undefined;
  }
  if (!(await isRecorded(deps, symbol, 1, signal))) return undefined;
  return { restored: { reducer: deps.labeler.begin(symbol), silentUntilMs }, entries: after(0) };
}

/** False if nothing was ever recorded for the symbol (no recorder). */
async function untilRecorded(deps: RecordedEntriesDeps, symbol: string, ordinal: number, signal: AbortSignal): Promise<boolean> {
  for (let checks = 0; !(await isRecorded(deps, symbol, ordinal, signal)); checks += 1) {
    if (checks === 0) {
      if (!(await isAnyRecorded(deps, symbol, signal))) return false;
      deps.logger.warn({ symbol, ordinal }, 'labelling waits until the entries up to the loss are recorded');
    }
    await delay(RECORDED_POLL_MS, signal);
  }
  return true;
}

async function isRecorded(deps: RecordedEntriesDeps, symbol: string, ordinal: number, signal: AbortSignal): Promise<boolean> {
  return isSomethingIn(deps, { symbol, afterOrdinal: ordinal - 1, toOrdinal: ordinal }, signal).catch((error: unknown) => {
    if (isServiceError(error, 'log_not_retained') || isServiceError(error, 'log_incomplete')) return false;
    throw error;
  });
}

async function isAnyRecorded(deps: RecordedEntriesDeps, symbol: string, signal: AbortSignal): Promise<boolean> {
  return isSomethingIn(deps, { symbol, afterOrdinal: 0, toOrdinal: 0 }, signal).catch((error: unknown) => {
    if (isServiceError(error, 'log_not_retained')) return true;
    throw error;
  });
}

async function isSomethingIn({ logEntries }: RecordedEntriesDeps, range: EntryRange, signal: AbortSignal): Promise<boolean> {
  for await (const { entries } of logEntries.streamLogEntries(range, { signal })) if (entries.length > 0) return true;
  return false;
}

interface EntryRange {
  readonly symbol: string;
  readonly afterOrdinal: number;
  readonly toOrdinal: number;
}

async function* recordedEntries(
  { logEntries, logger }: RecordedEntriesDeps,
  range: EntryRange,
  signal: AbortSignal,
): AsyncGenerator<readonly LogEntry[]> {
  for (let { afterOrdinal } = range; afterOrdinal < range.toOrdinal - 1; ) {
    try {
      for await (const { entries } of logEntries.streamLogEntries({ ...range, afterOrdinal }, { signal })) {
        yield entries.map(toLogEntry).filter(({ ordinal }) => ordinal < range.toOrdinal);
      }
      return;
    } catch (error) {
      if (!isServiceError(error, 'log_incomplete')) throw error;
      logger.error({ ...range, ...error.metadata }, 'recorded entries are missing');
      const { next_ordinal: nextOrdinal } = error.metadata;
      if (nextOrdinal === undefined) return;
      afterOrdinal = Number(nextOrdinal) - 1;
    }
  }
}

function toLogEntry(payload: Uint8Array): LogEntry {
  const { epoch, ordinal } = decodeEventHead(payload);
  return { epoch, ordinal, payload };
}
