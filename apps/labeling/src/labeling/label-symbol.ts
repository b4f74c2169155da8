import { type EntryId, type EventLog, formatEntryId, type LogEntry } from '@market-state/event-log';
import { delay, ownTurn } from '@market-state/lifecycle';
import { createCheckpointRule } from '../checkpoints/checkpoint-rule';
import type { PacketSigner } from '../signing/packet-signer';
import { commitCheckpoint, type CommitDeps, commitLabels, publishPosition } from './commit-labels';
import type { LabelMetrics } from './label-metrics';
import type { LabelStore } from './label-store';
import { labelStretch } from './label-stretch';
import { openSymbol } from './open-symbol';
import { type RecordedEntriesDeps, resumeFromRecorded, unbrokenTotal } from './recorded-entries';
import { createSaveSchedule } from './save-schedule';

/** Most entries of one batch, and of one transaction. */
const BATCH_ENTRIES_MAX = 1_000;

/** Entries received longer ago are history: a log that is filled up to now, however small the pieces in which it comes. */
const HISTORY_MS = 60_000;

/** Between the push of a packet and its checkpoint, when nothing waits: all symbols close the quarter of an hour at the same instant. */
const CHECKPOINT_APART_MS = 250;

export interface LabelSymbolDeps extends CommitDeps, RecordedEntriesDeps {
  readonly log: Pick<EventLog, 'follow' | 'read' | 'setPosition'>;
  readonly store: LabelStore;
  readonly signer: PacketSigner;
  /** Wall clock. Read around the labeler, never by it. */
  readonly clock: () => number;
  readonly metrics: LabelMetrics;
}

/**
 * Follows a symbol's log from the saved state, stores each packet as soon as the entry that closes it is read, and tells
 * of it; each quarter of an hour a checkpoint after it. Entries that the log has lost are taken from the recorded ones. Ends when the
 * signal aborts, after saving the state. Rejects when store or log fail: what was not stored is made again by the next call.
 */
export async function labelSymbol(deps: LabelSymbolDeps, symbol: string, signal: AbortSignal): Promise<void> {
  let { reducer, silentUntilMs, position } = await openSymbol(deps, symbol);
  let rule = createCheckpointRule(silentUntilMs);
  const schedule = createSaveSchedule();
  let connected: Uint8Array | undefined;
  await publishPosition(deps, symbol, position);

  /** @param isFull more may be waiting behind these entries */
  async function label(entries: readonly LogEntry[], readMs: number, isFull: boolean): Promise<void> {
    for (let from = 0; from < entries.length; ) {
      const stretch = labelStretch({ ...deps, reducer, rule }, entries.slice(from), readMs);
      ({ position } = stretch);
      connected = stretch.connected ?? connected;
      from += stretch.entryTotal;
      const packets = stretch.packets.filter((packet) => packet.windowEndMs > silentUntilMs);
      const catchingUp = isFull || readMs - stretch.knownTsMs > HISTORY_MS;
      const saves = schedule.isDue({ ...stretch, packetTotal: stretch.packets.length, catchingUp }) && !stretch.checkpointDue;
      if (packets.length > 0 || saves) {
        const { kept } = await commitLabels(deps, { symbol, packets, position, state: saves ? reducer.serialize() : undefined, connected });
        if (packets.length > 0) deps.metrics.readToPushed.observe((deps.clock() - readMs) / 1_000);
        if (stretch.checkpointDue) {
          if (from === entries.length) await delay(CHECKPOINT_APART_MS, signal).catch(() => undefined);
          await commitCheckpoint(deps, reducer, { ...stretch, connected }, kept);
          schedule.saved();
        }
      }
      deps.metrics.entries.inc({ symbol }, stretch.entryTotal);
    }
  }

  /** Labels recorded entries in place of those missing from the log before `next`. */
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
      await ownTurn();
      await label(batch, deps.clock(), true);
    }
  }

  for await (const entries of deps.log.follow(symbol, position, signal, { count: BATCH_ENTRIES_MAX })) {
    const readMs = deps.clock();
    // All symbols close a window at the same instant: a stored packet is published before the next symbol is labelled.
    await ownTurn();
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
