import { type EntryId, type EventLog, formatEntryId, type LogEntry, LOG_START } from '@market-state/event-log';
import { StateRestoreError } from '@market-state/labeler';
import { delay, yieldToEventLoop, backoffMs, type Closable, runUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { decodeEvent } from '@market-state/market-data';
import { isTransientDatabaseError } from '@market-state/postgres';
import {
  createCheckpointRule,
  toCheckpoint,
  type CheckpointRule,
  type LabelStore,
  type CommitResult,
  type LabelCommit,
} from './label-store';
import type { PacketSigner } from '../packets/packet-signer';
import type { LabelMetrics } from './label-metrics';
import { type RecordedEntriesDeps, resumeFromRecorded, unbrokenTotal } from './recorded-entries';
import type { Labeler, Reducer } from './policy-labeler';
import type { StoredPacket, TimedPacket } from '../packets/packet';

const RETRY = { minMs: 100, maxMs: 5_000 };

const PACKETS_MAX = 6;

/**
 * Delay of a live save after a packet, about a second of entries. Symbols close their windows at the same time, and a
 * save blocks the process longer than a packet does.
 */
const ENTRIES_APART = 16;

/** Forces a save while catching up, and where no window closes. */
const ENTRIES_MAX = 5_000;

const BATCH_ENTRIES_MAX = 1_000;

const HISTORY_MS = 60_000;

/** Delay between a packet's push and its checkpoint: all symbols close the quarter of an hour at the same time. */
const CHECKPOINT_APART_MS = 250;

export interface BatchFacts {
  readonly entryTotal: number;
  readonly packetTotal: number;
  readonly entriesAfterPacket: number;
  readonly catchingUp: boolean;
}

interface SaveSchedule {
  isDue(batch: BatchFacts): boolean;
  unsavedTotal(): number;
  saved(): void;
}

export function createSaveSchedule(): SaveSchedule {
  let entries = 0;
  let packets = 0;
  let entriesApart = 0;

  function saved(): void {
    entries = packets = 0;
  }

  return {
    isDue(batch) {
      entries += batch.entryTotal;
      packets += batch.packetTotal;
      entriesApart = batch.packetTotal > 0 ? batch.entriesAfterPacket : entriesApart + batch.entryTotal;
      const due = entries >= ENTRIES_MAX || (!batch.catchingUp && packets >= PACKETS_MAX && entriesApart >= ENTRIES_APART);
      if (due) saved();
      return due;
    },
    unsavedTotal: () => entries,
    saved,
  };
}

/** After a failure it restarts from the saved state, which yields the same packets. */
export function keepLabeling(deps: LabelSymbolDeps, symbol: string): Closable {
  let failures = 0;
  const observed: LabelSymbolDeps = {
    ...deps,
    onPacket(packet) {
      failures = 0;
      deps.onPacket(packet);
    },
  };

  return runUntilClosed(async (signal) => {
    while (!signal.aborted) {
      try {
        await labelSymbol(observed, symbol, signal);
      } catch (error) {
        if (signal.aborted) return;
        const retryInMs = backoffMs(failures, RETRY);
        const level = isTransientDatabaseError(error) ? 'warn' : 'error';
        deps.logger[level]({ symbol, err: error, retryInMs }, 'labelling restarts from the saved state');
        deps.metrics.restarts.inc({ symbol });
        failures += 1;
        await delay(retryInMs, signal).catch(() => undefined);
      }
    }
  });
}

interface OpenSymbolDeps {
  readonly log: Pick<EventLog, 'read'>;
  readonly store: Pick<LabelStore, 'loadState' | 'newestWindowEndMs'>;
  readonly labeler: Labeler;
  readonly metrics: Pick<LabelMetrics, 'newChains'>;
  readonly logger: Logger;
}

interface OpenSymbol {
  readonly reducer: Reducer;
  readonly position: EntryId;
  /** Windows up to this one belong to another chain and are not written; 0 if there are none. */
  readonly silentUntilMs: number;
}

/**
 * Starts at the saved state, or without one at the oldest log entry. If the saved state is of another policy or form,
 * it also starts there, raises an alarm, and keeps stored packets.
 */
async function openSymbol(deps: OpenSymbolDeps, symbol: string): Promise<OpenSymbol> {
  const { store, labeler, metrics, logger } = deps;
  const saved = await store.loadState(symbol);
  if (saved === undefined) return { reducer: labeler.begin(symbol), position: LOG_START, silentUntilMs: 0 };
  try {
    return { reducer: labeler.resume(saved.state), position: saved.id, silentUntilMs: 0 };
  } catch (error) {
    if (!(error instanceof StateRestoreError)) throw error;
    const silentUntilMs = (await store.newestWindowEndMs(symbol)) ?? 0;
    metrics.newChains.inc({ symbol });
    logger.error(
      { symbol, silentUntilMs, reason: error.message },
      'the saved state cannot be continued: starting a new chain after the newest stored packet',
    );
    return { reducer: await restart(deps, symbol, saved.connected), position: LOG_START, silentUntilMs };
  }
}

/**
 * If the `connected` entry is older than the oldest log entry, it is applied first, because the labeler closes no
 * window without one.
 */
async function restart({ log, labeler }: OpenSymbolDeps, symbol: string, connected: Uint8Array | undefined): Promise<Reducer> {
  const reducer = labeler.begin(symbol);
  if (connected === undefined) return reducer;
  const event = decodeEvent(connected);
  const [oldest] = await log.read(symbol, LOG_START, { count: 1 });
  if (oldest === undefined || oldest.ordinal > event.ordinal) reducer.reduce(event);
  return reducer;
}

interface SegmentDeps {
  readonly reducer: Reducer;
  readonly rule: CheckpointRule;
  readonly signer: PacketSigner;
  /** Wall clock. Read around the labeler, never by it. */
  readonly clock: () => number;
}

interface LabeledSegment {
  readonly packets: readonly TimedPacket[];
  readonly position: EntryId;
  readonly entryTotal: number;
  readonly knownTsMs: number;
  /** Entries after the one that closed the last packet; all if none did. */
  readonly entriesAfterPacket: number;
  readonly checkpointDue: boolean;
  readonly connected: Uint8Array | undefined;
}

/** Labels entries up to the end or the next due checkpoint. `entries` must not be empty. */
function labelSegment({ reducer, rule, signer, clock }: SegmentDeps, entries: readonly LogEntry[], readMs: number): LabeledSegment {
  const packets: TimedPacket[] = [];
  let position: EntryId = { epoch: 0, ordinal: 0 };
  let entryTotal = 0;
  let knownTsMs = 0;
  let entriesAfterPacket = 0;
  let checkpointDue = false;
  let connected: Uint8Array | undefined;
  for (const { payload, epoch, ordinal } of entries) {
    const event = decodeEvent(payload);
    const closed = reducer.reduce(event);
    if (event.kind === 'feed_status' && event.status.type === 'connected') connected = payload;
    position = { epoch, ordinal };
    entryTotal += 1;
    entriesAfterPacket = closed.length > 0 ? 0 : entriesAfterPacket + 1;
    knownTsMs = event.receivedTsMs;
    const sourceLagMs = Math.max(0, readMs - knownTsMs);
    for (const packet of closed) {
      packets.push({
        ...packet,
        generatedTsMs: clock(),
        sourceLagMs,
        signature: signer.sign(packet.packetDigest),
        closing: position,
        knownTsMs,
      });
    }
    checkpointDue = rule.isDue(closed);
    if (checkpointDue) break;
  }
  return { packets, position, entryTotal, knownTsMs, entriesAfterPacket, checkpointDue, connected };
}

const CONSUMER = 'labeling';

interface CommitDeps {
  readonly log: Pick<EventLog, 'setPosition'>;
  readonly store: Pick<LabelStore, 'commit'>;
  readonly onPacket: (packet: StoredPacket) => void;
  readonly onStored: (packets: readonly StoredPacket[]) => void;
  readonly metrics: Pick<LabelMetrics, 'packets' | 'refused' | 'checkpoints' | 'refusedCheckpoints'>;
  readonly logger: Logger;
}

/**
 * Stores the state both as checkpoint and as restart state, in one transaction: the saved state never passes an
 * unstored checkpoint. A checkpoint is refused if its packet was.
 */
async function commitCheckpoint(
  deps: CommitDeps,
  reducer: Reducer,
  { packets, position, connected }: LabeledSegment,
  kept: readonly StoredPacket[],
): Promise<void> {
  const newest = packets.at(-1) as TimedPacket;
  const { symbol } = newest;
  const state = reducer.serialize();
  const isKept = kept.some(({ windowEndMs }) => windowEndMs === newest.windowEndMs);
  const checkpoint = isKept ? await toCheckpoint({ ...newest, id: position, state }) : undefined;
  const { refusedCheckpoint } = await commitLabels(deps, { symbol, packets: [], position, state, connected, checkpoint });
  if (refusedCheckpoint !== undefined || !isKept) {
    deps.metrics.refusedCheckpoints.inc({ symbol });
    deps.logger.error(
      { symbol, windowEndMs: newest.windowEndMs, ...refusedCheckpoint },
      'checkpoint refused: another chain is stored at its window',
    );
  } else deps.metrics.checkpoints.inc({ symbol });
}

async function commitLabels(deps: CommitDeps, work: LabelCommit): Promise<CommitResult> {
  const { symbol } = work;
  const result = await deps.store.commit(work);
  for (const packet of result.refused) {
    deps.metrics.refused.inc({ symbol });
    deps.logger.error({ symbol, ...packet }, 'packet refused: another one is stored for its window');
  }
  for (const packet of result.kept) deps.onPacket(packet);
  if (result.stored.length > 0) deps.onStored(result.stored);
  deps.metrics.packets.inc({ symbol }, result.kept.length);
  if (result.savedId !== undefined) await publishPosition(deps, symbol, result.savedId);
  return result;
}

/** Only a hint for the feed's trimming: a failure delays trimming, because the store is authoritative. */
async function publishPosition({ log, logger }: Pick<CommitDeps, 'log' | 'logger'>, symbol: string, id: EntryId): Promise<void> {
  await log.setPosition(symbol, CONSUMER, id).catch((error: unknown) => {
    logger.warn({ symbol, err: error }, 'position not published');
  });
}

export interface LabelSymbolDeps extends CommitDeps, RecordedEntriesDeps {
  readonly log: Pick<EventLog, 'follow' | 'read' | 'setPosition'>;
  readonly store: LabelStore;
  readonly signer: PacketSigner;
  readonly clock: () => number;
  readonly metrics: LabelMetrics;
}

/**
 * Follows a symbol's log from the saved state. Stores and publishes each packet as soon as its closing entry is read,
 * with a checkpoint each quarter of an hour. Lost log entries are replaced by recorded ones. Ends after saving the
 * state when the signal aborts. Rejects if store or log fail; the next call repeats unsaved work.
 */
export async function labelSymbol(deps: LabelSymbolDeps, symbol: string, signal: AbortSignal): Promise<void> {
  let { reducer, silentUntilMs, position } = await openSymbol(deps, symbol);
  let rule = createCheckpointRule(silentUntilMs);
  const schedule = createSaveSchedule();
  let connected: Uint8Array | undefined;
  await publishPosition(deps, symbol, position);

  async function label(entries: readonly LogEntry[], readMs: number, isFull: boolean): Promise<void> {
    for (let from = 0; from < entries.length; ) {
      const logSegment = labelSegment({ ...deps, reducer, rule }, entries.slice(from), readMs);
      ({ position } = logSegment);
      connected = logSegment.connected ?? connected;
      from += logSegment.entryTotal;
      const packets = logSegment.packets.filter((packet) => packet.windowEndMs > silentUntilMs);
      const catchingUp = isFull || readMs - logSegment.knownTsMs > HISTORY_MS;
      const saves = schedule.isDue({ ...logSegment, packetTotal: logSegment.packets.length, catchingUp }) && !logSegment.checkpointDue;
      if (packets.length > 0 || saves) {
        const { kept } = await commitLabels(deps, { symbol, packets, position, state: saves ? reducer.serialize() : undefined, connected });
        if (packets.length > 0) deps.metrics.readToPushed.observe((deps.clock() - readMs) / 1_000);
        if (logSegment.checkpointDue) {
          if (from === entries.length) await delay(CHECKPOINT_APART_MS, signal).catch(() => undefined);
          await commitCheckpoint(deps, reducer, { ...logSegment, connected }, kept);
          schedule.saved();
        }
      }
      deps.metrics.entries.inc({ symbol }, logSegment.entryTotal);
    }
  }

  async function fillUpTo(next: EntryId): Promise<void> {
    deps.metrics.holes.inc({ symbol });
    const missing = { symbol, after: formatEntryId(position), next: formatEntryId(next), missing: next.ordinal - position.ordinal - 1 };
    const resumption = await resumeFromRecorded(deps, { symbol, position, next }, signal);
    if (resumption === undefined) {
      deps.logger.error(missing, 'log entries are missing');
      return;
    }
    const { restored, entries } = resumption;
    if (restored !== undefined) {
      ({ reducer, silentUntilMs } = restored);
      rule = createCheckpointRule(silentUntilMs);
      deps.metrics.restored.inc({ symbol });
    }
    deps.logger[restored === undefined ? 'warn' : 'error'](
      { ...missing, fromCheckpoint: restored !== undefined },
      'log entries are missing; labelling recorded entries instead',
    );
    for await (const batch of entries) {
      await yieldToEventLoop();
      await label(batch, deps.clock(), true);
    }
  }

  for await (const entries of deps.log.follow(symbol, position, signal, { count: BATCH_ENTRIES_MAX })) {
    const readMs = deps.clock();
    // All symbols close a window at the same time: publish a stored packet before labelling the next symbol.
    await yieldToEventLoop();
    for (let from = 0; from < entries.length; ) {
      const total = unbrokenTotal(position, entries.slice(from));
      await label(entries.slice(from, from + total), readMs, entries.length === BATCH_ENTRIES_MAX);
      from += total;
      const next = entries[from];
      if (next === undefined) break;
      await fillUpTo(next);
      position = { epoch: next.epoch, ordinal: next.ordinal - 1 };
    }
  }
  if (schedule.unsavedTotal() > 0) await commitLabels(deps, { symbol, packets: [], position, state: reducer.serialize(), connected });
}
