import { type EntryId, type EventLog, LOG_START } from '@market-state/event-log';
import { StateRestoreError } from '@market-state/labeler';
import type { Logger } from '@market-state/logging';
import { decodeEvent } from '@market-state/market-data';
import type { LabelMetrics } from './label-metrics';
import type { LabelStore } from './label-store';
import type { Labeler, Reducer } from './reducer';

/** What opening a symbol needs. */
export interface OpenSymbolDeps {
  readonly log: Pick<EventLog, 'read'>;
  readonly store: Pick<LabelStore, 'loadState' | 'newestWindowEndMs'>;
  readonly labeler: Labeler;
  readonly metrics: Pick<LabelMetrics, 'newChains'>;
  readonly logger: Logger;
}

/** Where labelling of a symbol goes on. */
export interface OpenSymbol {
  readonly reducer: Reducer;
  /** The last entry that the reducer has taken. */
  readonly position: EntryId;
  /** Windows up to this one were labelled by another chain: the reducer passes through them without writing. 0: there are none. */
  readonly silentUntilMs: number;
}

/**
 * The reducer as it was saved. Without a saved state it begins with the oldest entry kept; so it does, with an alarm, when
 * the saved state is of another policy or of another form, and then what is stored already stays.
 */
export async function openSymbol(deps: OpenSymbolDeps, symbol: string): Promise<OpenSymbol> {
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
      'the saved state cannot be continued: a new chain begins after the newest stored packet',
    );
    return { reducer: await beginAnew(deps, symbol, saved.connected), position: LOG_START, silentUntilMs };
  }
}

/** At the oldest entry kept. Where the connection is older, its entry comes first: without one the labeler closes no window. */
async function beginAnew({ log, labeler }: OpenSymbolDeps, symbol: string, connected: Uint8Array | undefined): Promise<Reducer> {
  const reducer = labeler.begin(symbol);
  if (connected === undefined) return reducer;
  const event = decodeEvent(connected);
  const [oldest] = await log.read(symbol, LOG_START, { count: 1 });
  if (oldest === undefined || oldest.ordinal > event.ordinal) reducer.reduce(event);
  return reducer;
}
