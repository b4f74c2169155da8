import type { EntryId, EventLog } from '@market-state/event-log';
import type { Logger } from '@market-state/logging';
import { toCheckpoint } from '../checkpoints/make-checkpoint';
import type { StoredPacket, TimedPacket } from '../packets/packet';
import type { LabelMetrics } from './label-metrics';
import type { CommitResult, LabelCommit, LabelStore } from './label-store';
import type { Stretch } from './label-stretch';
import type { Reducer } from './reducer';

/** The name under which the position is published to the feed. */
const CONSUMER = 'labeling';

export interface CommitDeps {
  readonly log: Pick<EventLog, 'setPosition'>;
  readonly store: Pick<LabelStore, 'commit'>;
  /** Called for each stored packet, oldest first. */
  readonly onPacket: (packet: StoredPacket) => void;
  /** Called with the packets that a commit stored, where it stored any. */
  readonly onStored: (packets: readonly StoredPacket[]) => void;
  readonly metrics: Pick<LabelMetrics, 'packets' | 'refused' | 'checkpoints' | 'refusedCheckpoints'>;
  readonly logger: Logger;
}

/**
 * Stores the state as checkpoint and as the one to go on from, in one transaction: the saved state never passes a
 * checkpoint that is not stored. Where the hour's packet was refused, so is its checkpoint.
 */
export async function commitCheckpoint(
  deps: CommitDeps,
  reducer: Reducer,
  { packets, position, connected }: Stretch,
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

/** Writes what was labelled, tells of each packet that is stored now and of each that was refused. */
export async function commitLabels(deps: CommitDeps, work: LabelCommit): Promise<CommitResult> {
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

/** A hint for the feed's trimming; the truth is in the store, so a failure only delays trimming. */
export async function publishPosition({ log, logger }: Pick<CommitDeps, 'log' | 'logger'>, symbol: string, id: EntryId): Promise<void> {
  await log.setPosition(symbol, CONSUMER, id).catch((error: unknown) => {
    logger.warn({ symbol, err: error }, 'position not published');
  });
}
