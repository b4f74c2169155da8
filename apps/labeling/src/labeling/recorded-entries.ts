import { gunzipSync } from 'node:zlib';
import { isServiceError } from '@market-state/errors';
import type { EntryId, LogEntry } from '@market-state/event-log';
import { StateRestoreError } from '@market-state/labeler';
import { delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { decodeEventHead } from '@market-state/market-data';
import type { CheckpointReader } from '../checkpoints/checkpoint-reader';
import { type LogClient, noLogClient } from '../verify/log-entries';
import { checkpointsBefore } from '../verify/newest-checkpoint';
import type { LabelStore } from './label-store';
import type { Labeler, Reducer } from './reducer';

/** Between two looks whether an entry is recorded, milliseconds. */
const RECORDED_POLL_MS = 250;

export interface RecordedEntriesDeps {
  /** The entries that the data plane has recorded. */
  readonly logEntries: LogClient;
  readonly checkpoints: CheckpointReader;
  readonly store: Pick<LabelStore, 'newestWindowEndMs'>;
  readonly labeler: Labeler;
  readonly logger: Logger;
}

/** Where labelling goes on after entries that the log does not have. */
export interface Resumption {
  /** A state that the recorded entries lead to; absent: the present one is such a state. */
  readonly remade?: { readonly reducer: Reducer; readonly silentUntilMs: number };
  /** The recorded entries after that state and before the entry that the log goes on with. */
  readonly entries: AsyncGenerator<readonly LogEntry[]>;
}

/** How many of the entries follow the position, and each other, without a hole and within one epoch. */
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
 * Finds where to go on when the log goes on with `next`, not with the entry after `position`: a store that lost its entries may have shown
 * this process some that were never recorded, and nobody could make a packet again from those. Waits until `next` is recorded: then all
 * before it is, or is gone. Where the last labelled entry is recorded too, labelling goes on from the present state; else from the newest
 * checkpoint whose entry is recorded, and the windows that have a packet are passed through without writing.
 * @returns undefined where no entries are recorded that could be gone on with
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
      return { remade: { reducer, silentUntilMs }, entries: after(ordinal) };
    }
  } catch (error) {
    if (!(error instanceof StateRestoreError)) throw error;
    return undefined;
  }
  if (!(await isRecorded(deps, symbol, 1, signal))) return undefined;
  return { remade: { reducer: deps.labeler.begin(symbol), silentUntilMs }, entries: after(0) };
}

/** Resolves once an entry is recorded; false where nothing of the symbol ever was, as without a recorder. */
async function untilRecorded(deps: RecordedEntriesDeps, symbol: string, ordinal: number, signal: AbortSignal): Promise<boolean> {
  for (let looks = 0; !(await isRecorded(deps, symbol, ordinal, signal)); looks += 1) {
    if (looks === 0) {
      if (!(await isAnyRecorded(deps, symbol, signal))) return false;
      deps.logger.warn({ symbol, ordinal }, 'labelling waits until the entries before are recorded');
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

/** The recorded entries of a range but for its last, which is there; holes are passed over. */
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
