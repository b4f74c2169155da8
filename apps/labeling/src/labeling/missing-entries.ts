import { type EntryId, formatEntryId, type LogEntry } from '@market-state/event-log';
import type { Logger } from '@market-state/logging';
import type { LabelMetrics } from './label-metrics';

/**
 * Ordinals rise by one: a jump means that entries were trimmed or lost before they were labelled. Before the first entry there is nothing
 * to miss: a chain begins wherever the retained log does.
 */
export function reportMissingEntries(
  { metrics, logger }: { readonly metrics: LabelMetrics; readonly logger: Logger },
  symbol: string,
  position: EntryId,
  entries: readonly LogEntry[],
): void {
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
