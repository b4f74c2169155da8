import { type EntryId, type EventLog, formatEntryId, LOG_START } from '@market-state/event-log';
import type { Logger } from '@market-state/logging';
import { decodeEvent } from '@market-state/market-data';
import type { StoredPacket, TimedPacket } from '../packets/packet';
import type { CommitResult, LabelStore } from './label-store';
import type { LabelMetrics } from './label-metrics';
import type { OpenReducer, Reducer } from './reducer';

/** The name under which the position is published to the feed. */
export const CONSUMER = 'labeling';

/** Most entries of one batch: one transaction while the log is being caught up with. */
const BATCH_ENTRIES_MAX = 1_000;

/** The state is saved when so many packets, or entries without packets, have come since it was saved last. */
const SAVE_AFTER_PACKETS = 6;
const SAVE_AFTER_ENTRIES = 1_000;

export interface LabelSymbolDeps {
  readonly log: Pick<EventLog, 'follow' | 'setPosition'>;
  readonly store: LabelStore;
  readonly openReducer: OpenReducer;
  /** Wall clock. Read around the labeler, never by it. */
  readonly clock: () => number;
  /** Called for each stored packet, oldest first. */
  readonly onPacket: (packet: StoredPacket) => void;
  readonly metrics: LabelMetrics;
  readonly logger: Logger;
}

/**
 * Follows a symbol's log from the saved state, stores each packet as soon as the entry that closes it is read, and tells
 * of it. Ends when the signal aborts, after saving the state. Rejects when store or log fail: what was not stored is made
 * again by the next call.
 */
export async function labelSymbol(deps: LabelSymbolDeps, symbol: string, signal: AbortSignal): Promise<void> {
  const saved = await deps.store.loadState(symbol);
  const reducer = deps.openReducer(symbol, saved?.state);
  let position = saved?.id ?? LOG_START;
  await publishPosition(deps, symbol, position);
  let entriesSinceSave = 0;
  let packetsSinceSave = 0;

  for await (const entries of deps.log.follow(symbol, position, signal, { count: BATCH_ENTRIES_MAX })) {
    const packets: TimedPacket[] = [];
    const readMs = deps.clock();
    for (const entry of entries) {
      if (entry.ordinal !== position.ordinal + 1) tellOfHole(deps, symbol, position, entry);
      packets.push(...reduceEntry(deps, reducer, entry.payload, readMs));
      position = { epoch: entry.epoch, ordinal: entry.ordinal };
    }
    entriesSinceSave += entries.length;
    packetsSinceSave += packets.length;

    const saves = packetsSinceSave >= SAVE_AFTER_PACKETS || entriesSinceSave >= SAVE_AFTER_ENTRIES;
    if (packets.length > 0 || saves) {
      await commit(deps, { symbol, packets, position, state: saves ? reducer.serialize() : undefined }, readMs);
    }
    if (saves) entriesSinceSave = packetsSinceSave = 0;
    deps.metrics.entries.inc({ symbol }, entries.length);
  }
  if (entriesSinceSave > 0) await commit(deps, { symbol, packets: [], position, state: reducer.serialize() }, deps.clock());
}

function reduceEntry(deps: LabelSymbolDeps, reducer: Reducer, payload: Uint8Array, readMs: number): TimedPacket[] {
  const event = decodeEvent(payload);
  return reducer.reduce(event).map((packet) => ({
    ...packet,
    generatedTsMs: deps.clock(),
    sourceLagMs: Math.max(0, readMs - event.exchangeTsMs),
  }));
}

async function commit(deps: LabelSymbolDeps, work: Parameters<LabelStore['commit']>[0], readMs: number): Promise<void> {
  const result = await deps.store.commit(work);
  tellOfRefused(deps, work.symbol, result);
  for (const packet of result.kept) {
    deps.onPacket(packet);
    deps.metrics.packets.inc({ symbol: work.symbol });
  }
  if (result.kept.length > 0) deps.metrics.readToPushed.observe((deps.clock() - readMs) / 1_000);
  if (work.state !== undefined && result.savedId !== undefined) await publishPosition(deps, work.symbol, result.savedId);
}

/** A hint for the feed's trimming; the truth is in the store, so a failure only delays trimming. */
async function publishPosition(deps: LabelSymbolDeps, symbol: string, id: EntryId): Promise<void> {
  await deps.log.setPosition(symbol, CONSUMER, id).catch((error: unknown) => {
    deps.logger.warn({ symbol, err: error }, 'position not published');
  });
}

function tellOfHole(deps: LabelSymbolDeps, symbol: string, position: EntryId, next: EntryId): void {
  deps.metrics.holes.inc({ symbol });
  deps.logger.error(
    { symbol, after: formatEntryId(position), next: formatEntryId(next), missing: next.ordinal - position.ordinal - 1 },
    'log entries are missing: they were trimmed or lost before they were labelled',
  );
}

function tellOfRefused(deps: LabelSymbolDeps, symbol: string, result: CommitResult): void {
  for (const refused of result.refused) {
    deps.metrics.refused.inc({ symbol });
    deps.logger.error({ symbol, ...refused }, 'packet refused: another one is stored for its window');
  }
}
