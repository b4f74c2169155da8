import type { EntryId, EventLog } from '@market-state/event-log';
import { delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { createCheckpointRule } from '../checkpoints/checkpoint-rule';
import { toCheckpoint } from '../checkpoints/make-checkpoint';
import type { StoredPacket, TimedPacket } from '../packets/packet';
import type { PacketSigner } from '../signing/packet-signer';
import type { LabelMetrics } from './label-metrics';
import type { CommitResult, LabelCommit, LabelStore } from './label-store';
import { labelStretch, type Stretch } from './label-stretch';
import { tellOfHoles } from './log-holes';
import { openSymbol } from './open-symbol';
import type { Labeler, Reducer } from './reducer';
import { createSaveSchedule } from './save-schedule';

/** The name under which the position is published to the feed. */
export const CONSUMER = 'labeling';

/** Most entries of one batch, and of one transaction. */
const BATCH_ENTRIES_MAX = 1_000;

/** Between the push of an hour's packet and its checkpoint, when nothing waits: all symbols close the hour at the same instant. */
const CHECKPOINT_APART_MS = 250;

export interface LabelSymbolDeps {
  readonly log: Pick<EventLog, 'follow' | 'read' | 'setPosition'>;
  readonly store: LabelStore;
  readonly labeler: Labeler;
  readonly signer: PacketSigner;
  /** Wall clock. Read around the labeler, never by it. */
  readonly clock: () => number;
  /** Called for each stored packet, oldest first. */
  readonly onPacket: (packet: StoredPacket) => void;
  readonly metrics: LabelMetrics;
  readonly logger: Logger;
}

/**
 * Follows a symbol's log from the saved state, stores each packet as soon as the entry that closes it is read, and tells
 * of it; each hour a checkpoint after it. Ends when the signal aborts, after saving the state. Rejects when store or log
 * fail: what was not stored is made again by the next call.
 */
export async function labelSymbol(deps: LabelSymbolDeps, symbol: string, signal: AbortSignal): Promise<void> {
  const { reducer, silentUntilMs, ...opened } = await openSymbol(deps, symbol);
  const stretchDeps = { ...deps, reducer, rule: createCheckpointRule(silentUntilMs) };
  const schedule = createSaveSchedule();
  let { position } = opened;
  let connected: Uint8Array | undefined;
  await publishPosition(deps, symbol, position);

  for await (const entries of deps.log.follow(symbol, position, signal, { count: BATCH_ENTRIES_MAX })) {
    const readMs = deps.clock();
    const catchingUp = entries.length === BATCH_ENTRIES_MAX;
    tellOfHoles(deps, symbol, position, entries);
    for (let from = 0; from < entries.length; ) {
      const stretch = labelStretch(stretchDeps, entries.slice(from), readMs);
      ({ position } = stretch);
      connected = stretch.connected ?? connected;
      from += stretch.entryTotal;
      const packets = stretch.packets.filter((packet) => packet.windowEndMs > silentUntilMs);
      const saves = schedule.isDue({ ...stretch, packetTotal: stretch.packets.length, catchingUp }) && !stretch.checkpointDue;
      if (packets.length > 0 || saves) {
        const { kept } = await commit(deps, { symbol, packets, position, state: saves ? reducer.serialize() : undefined, connected });
        if (packets.length > 0) deps.metrics.readToPushed.observe((deps.clock() - readMs) / 1_000);
        if (stretch.checkpointDue) {
          if (from === entries.length) await delay(CHECKPOINT_APART_MS, signal).catch(() => undefined);
          await saveCheckpoint(deps, reducer, { ...stretch, connected }, kept);
          schedule.saved();
        }
      }
      deps.metrics.entries.inc({ symbol }, stretch.entryTotal);
    }
  }
  if (schedule.unsavedTotal() > 0) await commit(deps, { symbol, packets: [], position, state: reducer.serialize(), connected });
}

/**
 * Stores the state as checkpoint and as the one to go on from, in one transaction: the saved state never passes a
 * checkpoint that is not stored. Where the hour's packet was refused, so is its checkpoint.
 */
async function saveCheckpoint(deps: LabelSymbolDeps, reducer: Reducer, { packets, position, connected }: Stretch, kept: readonly StoredPacket[]): Promise<void> {
  const newest = packets.at(-1) as TimedPacket;
  const { symbol } = newest;
  const state = reducer.serialize();
  const isKept = kept.some(({ windowEndMs }) => windowEndMs === newest.windowEndMs);
  const checkpoint = isKept ? await toCheckpoint({ ...newest, id: position, state }) : undefined;
  const { refusedCheckpoint } = await commit(deps, { symbol, packets: [], position, state, connected, checkpoint });
  if (refusedCheckpoint !== undefined || !isKept) {
    deps.metrics.refusedCheckpoints.inc({ symbol });
    deps.logger.error({ symbol, windowEndMs: newest.windowEndMs, ...refusedCheckpoint }, 'checkpoint refused: another chain is stored at its window');
  } else deps.metrics.checkpoints.inc({ symbol });
}

async function commit(deps: LabelSymbolDeps, work: LabelCommit): Promise<CommitResult> {
  const { symbol } = work;
  const result = await deps.store.commit(work);
  for (const packet of result.refused) {
    deps.metrics.refused.inc({ symbol });
    deps.logger.error({ symbol, ...packet }, 'packet refused: another one is stored for its window');
  }
  for (const packet of result.kept) deps.onPacket(packet);
  deps.metrics.packets.inc({ symbol }, result.kept.length);
  if (result.savedId !== undefined) await publishPosition(deps, symbol, result.savedId);
  return result;
}

/** A hint for the feed's trimming; the truth is in the store, so a failure only delays trimming. */
async function publishPosition({ log, logger }: LabelSymbolDeps, symbol: string, id: EntryId): Promise<void> {
  await log.setPosition(symbol, CONSUMER, id).catch((error: unknown) => {
    logger.warn({ symbol, err: error }, 'position not published');
  });
}
