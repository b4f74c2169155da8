import { type EntryId, LOG_START } from '@market-state/event-log';
import type { Logger } from '@market-state/logging';
import type { LabelStore } from './label-store';
import type { Labeler, Reducer } from './reducer';

/** Where labelling of a symbol goes on. */
export interface OpenSymbol {
  readonly reducer: Reducer;
  /** The last entry that the reducer has taken. */
  readonly position: EntryId;
  /** Windows up to this one were labelled by another chain: the reducer passes through them without writing. */
  readonly silentUntilMs: number;
}

/**
 * The reducer as it was saved. Without a saved state it begins with the oldest entry kept; so it does, with an alarm, when
 * the saved state belongs to another policy, and then what is stored already stays.
 */
export async function openSymbol(store: LabelStore, labeler: Labeler, symbol: string, logger: Logger): Promise<OpenSymbol> {
  const saved = await store.loadState(symbol);
  if (saved === undefined) return { reducer: labeler.begin(symbol), position: LOG_START, silentUntilMs: 0 };
  const resumed = labeler.resume(saved.state);
  if (resumed !== undefined) return { reducer: resumed, position: saved.id, silentUntilMs: 0 };
  const silentUntilMs = (await store.newestWindowEndMs(symbol)) ?? 0;
  logger.error({ symbol, silentUntilMs }, 'the saved state is of another policy: a new chain begins after the newest stored packet');
  return { reducer: labeler.begin(symbol), position: LOG_START, silentUntilMs };
}
