import type { EntryId, EventLog, LogEntry } from '@market-state/event-log';
import type { Logger } from '@market-state/logging';
import { decodeEvent } from '@market-state/market-data';
import { toCheckpoint, type CheckpointRule } from '../checkpoints/checkpoint';
import type { StoredPacket, TimedPacket } from '../packets/packet';
import type { LabelMetrics } from './label-metrics';
import type { CommitResult, LabelCommit, LabelStore } from './label-store';
import type { Reducer } from './policy-labeler';
import type { PacketSigner } from '../signing/packet-signer';

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
export function labelSegment({ reducer, rule, signer, clock }: SegmentDeps, entries: readonly LogEntry[], readMs: number): LabeledSegment {
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

export interface CommitDeps {
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
export async function commitCheckpoint(
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

/** Only a hint for the feed's trimming: a failure delays trimming, because the store is authoritative. */
export async function publishPosition({ log, logger }: Pick<CommitDeps, 'log' | 'logger'>, symbol: string, id: EntryId): Promise<void> {
  await log.setPosition(symbol, CONSUMER, id).catch((error: unknown) => {
    logger.warn({ symbol, err: error }, 'position not published');
  });
}
