import { stat } from 'node:fs/promises';
import {
  BOOK_VALUES,
  type Comparison,
  nothingCompared,
  type PlayedInstrument,
  RecordedBestPrices,
  venueOf,
} from '@market-state/market-data';
import { readLines } from '../feed/recording-files';
import { readRecorded } from '../store/recorded';
import type { AuditTarget } from './audit-target';
import { type AuditDeps, booksOf } from './recorded-rows';

/** Books of so much feed time are compared in a run. */
const SPAN_MS = 600_000;
/** The newest books are left to the next run. */
const SETTLED_MS = 5_000;
/** A recording is read again in each run; a larger one, packed or not, would take too long. */
const BYTES_MAX = 64 * 1_048_576;

/** A symbol that is played from a recording: its books since the last run, against the best prices that the recording has of its own. */
export function recordedTarget(
  deps: AuditDeps,
  { symbol, venue, venueInstrument }: PlayedInstrument,
  files: readonly string[],
): AuditTarget {
  return {
    symbol,
    venue,
    source: 'recording',
    measures: ['book'],
    async compare(comparedToMs = 0, signal) {
      const { clockMs = 0 } = await readRecorded(deps.pool, symbol);
      const toMs = clockMs - SETTLED_MS;
      const fromMs = Math.max(comparedToMs, toMs - SPAN_MS);
      if (fromMs >= toMs) return [];
      const books = await booksOf(deps, symbol, { fromMs, toMs });
      if (books.length === 0) return [];
      return [{ measure: 'book', fromMs, toMs, comparison: await compareWith(files) }];

      async function compareWith(paths: readonly string[]): Promise<Comparison> {
        const values = books.length * BOOK_VALUES;
        if (venueOf(venue)?.hasBestPrices !== true) return nothingCompared(values, 'no_best_prices');
        const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
        if (sizes.reduce((sum, size) => sum + size, 0) > BYTES_MAX) return nothingCompared(values, 'recording_too_long');
        const prices = new RecordedBestPrices(venueInstrument, books);
        for (const path of paths) {
          for await (const lines of readLines(path)) {
            signal.throwIfAborted();
            for (const line of lines) prices.accept(line);
            if (prices.isDone) return prices.finish();
          }
        }
        return prices.finish();
      }
    },
  };
}
