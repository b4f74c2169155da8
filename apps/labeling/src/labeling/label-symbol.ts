import { type EntryId, type EventLog, formatEntryId, type LogEntry } from '@market-state/event-log';
import type { Logger } from '@market-state/logging';
import { decodeEvent } from '@market-state/market-data';
import type { StoredPacket, TimedPacket } from '../packets/packet';
import type { LabelMetrics } from './label-metrics';
import type { LabelCommit, LabelStore } from './label-store';
import { openSymbol } from './open-symbol';
import type { Labeler, Reducer } from './reducer';
import { createSaveSchedule } from './save-schedule';

/** The name under which the position is published to the feed. */
export const CONSUMER = 'labeling';

/** Most entries of one batch, and of one transaction. */
const BATCH_ENTRIES_MAX = 1_000;

export interface LabelSymbolDeps {
  readonly log: Pick<EventLog, 'follow' | 'setPosition'>;
  readonly store: LabelStore;
  readonly labeler: Labeler;
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
  const opened = await openSymbol(deps.store, deps.labeler, symbol, deps.logger);
  const { reducer, silentUntilMs } = opened;
  const schedule = createSaveSchedule();
  let { position } = opened;
  await publishPosition(deps, symbol, position);

  for await (const entries of deps.log.follow(symbol, position, signal, { count: BATCH_ENTRIES_MAX })) {
    const readMs = deps.clock();
    tellOfHoles(deps, symbol, position, entries);
    const { packets, entriesAfterPacket } = reduceBatch(deps, reducer, entries, readMs);
    const last = entries.at(-1) ?? position;
    position = { epoch: last.epoch, ordinal: last.ordinal };
    const catchingUp = entries.length === BATCH_ENTRIES_MAX;
    const saves = schedule.isDue({ entryTotal: entries.length, packetTotal: packets.length, entriesAfterPacket, catchingUp });
    const written = packets.filter((packet) => packet.windowEndMs > silentUntilMs);
    if (written.length > 0 || saves) {
      await commit(deps, { symbol, packets: written, position, state: saves ? reducer.serialize() : undefined });
      if (written.length > 0) deps.metrics.readToPushed.observe((deps.clock() - readMs) / 1_000);
    }
    deps.metrics.entries.inc({ symbol }, entries.length);
  }
  if (schedule.unsavedTotal() > 0) await commit(deps, { symbol, packets: [], position, state: reducer.serialize() });
}

function reduceBatch({ clock }: LabelSymbolDeps, reducer: Reducer, entries: readonly LogEntry[], readMs: number) {
  const packets: TimedPacket[] = [];
  let entriesAfterPacket = 0;
  for (const entry of entries) {
    const event = decodeEvent(entry.payload);
    const closed = reducer.reduce(event);
    entriesAfterPacket = closed.length > 0 ? 0 : entriesAfterPacket + 1;
    for (const packet of closed) {
      packets.push({ ...packet, generatedTsMs: clock(), sourceLagMs: Math.max(0, readMs - event.exchangeTsMs) });
    }
  }
  return { packets, entriesAfterPacket };
}

async function commit(deps: LabelSymbolDeps, work: LabelCommit): Promise<void> {
  const { symbol } = work;
  const { kept, refused, savedId } = await deps.store.commit(work);
  for (const packet of refused) {
    deps.metrics.refused.inc({ symbol });
    deps.logger.error({ symbol, ...packet }, 'packet refused: another one is stored for its window');
  }
  for (const packet of kept) deps.onPacket(packet);
  deps.metrics.packets.inc({ symbol }, kept.length);
  if (savedId !== undefined) await publishPosition(deps, symbol, savedId);
}

/** A hint for the feed's trimming; the truth is in the store, so a failure only delays trimming. */
async function publishPosition({ log, logger }: LabelSymbolDeps, symbol: string, id: EntryId): Promise<void> {
  await log.setPosition(symbol, CONSUMER, id).catch((error: unknown) => {
    logger.warn({ symbol, err: error }, 'position not published');
  });
}

/**
 * Ordinals rise by one: a jump means that entries were trimmed or lost before they were labelled. Before the first entry there is nothing
 * to miss: a chain begins wherever the retained log does.
 */
function tellOfHoles({ metrics, logger }: LabelSymbolDeps, symbol: string, position: EntryId, entries: readonly LogEntry[]): void {
  let before = position;
  for (const entry of entries) {
    const missing = entry.ordinal - before.ordinal - 1;
    if (missing > 0 && before.ordinal > 0) {
      metrics.holes.inc({ symbol });
      logger.error({ symbol, after: formatEntryId(before), next: formatEntryId(entry), missing }, 'log entries are missing');
    }
    before = entry;
  }
}
