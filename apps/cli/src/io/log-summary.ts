import type { MarketEvent } from '@market-state/market-data';
import { badInput, type CliError } from '../cli-error';
import { count, counted, instant } from './instant';

const WINDOW_MS = 10_000;
/** Times before and after which a recording's clock is of another unit than milliseconds. */
const YEAR_2001_MS = 978_307_200_000;
const NOUNS = { book: 'book', trade: 'trade', context: 'context entry', liquidation: 'liquidation' } as const;
const PLURALS: Readonly<Record<keyof typeof NOUNS, string>> = {
  book: 'books',
  trade: 'trades',
  context: 'context entries',
  liquidation: 'liquidations',
};

/** What a log holds, as far as it was read: enough to say why nothing was labelled. */
export class LogSummary {
  private readonly totals = { book: 0, trade: 0, context: 0, liquidation: 0, tick: 0, feed_status: 0 };
  private firstMs: number | undefined;
  private lastMs = 0;
  private closingLagMs: number | undefined;
  private firstTickMs: number | undefined;

  add(events: readonly MarketEvent[]): void {
    for (const event of events) {
      this.totals[event.kind]++;
      this.firstMs ??= event.receivedTsMs;
      if (event.receivedTsMs > this.lastMs) this.lastMs = event.receivedTsMs;
      if (event.kind === 'feed_status' && event.status.type === 'connected') this.closingLagMs = event.status.closingLagMs;
      else if (event.kind === 'tick' && this.closingLagMs !== undefined) this.firstTickMs ??= event.feedClockMs;
    }
  }

  /** That no window closed, what was read instead, and what to do. `input` names the files. */
  nothingLabelled(input: string, lines: number): CliError {
    const { firstMs, lastMs, totals } = this;
    const kinds = (Object.keys(NOUNS) as (keyof typeof NOUNS)[]).filter((kind) => totals[kind] > 0);
    const held = kinds.map((kind) => counted(totals[kind], NOUNS[kind], PLURALS[kind])).join(', ');
    const span =
      firstMs === undefined
        ? ''
        : `, received from ${instant(firstMs)} to ${instant(lastMs)} (${((lastMs - firstMs) / 1_000).toFixed(1)} s)`;
    return badInput(
      `${input}: nothing was labelled: ${counted(lines, 'line')} gave ${held === '' ? 'no book and no trade' : held}${span}; ${this.reason}`,
    );
  }

  private get reason(): string {
    const { closingLagMs, firstTickMs, firstMs = 0, lastMs } = this;
    if (firstMs < YEAR_2001_MS) return 'the times are not milliseconds since 1970, as 1723161256172: multiply seconds by 1,000';
    if (closingLagMs === undefined)
      return (
        'no connected entry says which channels the venue reports and how long a window waits: give the rows from the beginning of their ' +
        'log, as `market-state rows` or `dump` writes them'
      );
    if (firstTickMs === undefined)
      return 'no tick comes after the connected entry, and windows close at ticks: give the log with its ticks';
    const windowEndMs = Math.ceil(firstTickMs / WINDOW_MS) * WINDOW_MS;
    return (
      `the first window ends at ${instant(windowEndMs)} and closes ${count(closingLagMs)} ms later, ` +
      `${((windowEndMs + closingLagMs - lastMs) / 1_000).toFixed(1)} s after the last line: record at least ${(2 * WINDOW_MS + closingLagMs) / 1_000} s`
    );
  }
}
