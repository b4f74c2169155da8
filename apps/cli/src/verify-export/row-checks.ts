import { eventOfColumns, EventRowError, type DataChannel, type NamedCells, rowLine } from '@market-state/market-data';
import type { LogDataset } from '@market-state/export-schema';

/** What a row of a data file is found to be. */
export interface CheckedRow {
  readonly timeMs: number;
  /** What goes into the chain; undefined where the file does not say enough of the row. */
  readonly line: string | undefined;
  /** What is wrong with the row, a sentence each. */
  readonly faults: readonly string[];
}

/** Checks the rows of a symbol, in their order. */
export type RowCheck = (cells: NamedCells) => CheckedRow | Promise<CheckedRow>;

const CHANNELS: Readonly<Record<LogDataset, DataChannel>> = {
  book: 'book',
  trades: 'trade',
  context: 'context',
  liquidations: 'liquidation',
};

/** Turns rows of the log back into their lines. */
export function logRowCheck(dataset: LogDataset): RowCheck {
  const channel = CHANNELS[dataset];
  return (cells) => {
    const timeMs = Number(cells['exchange_ts_ms']);
    try {
      const event = eventOfColumns(channel, cells);
      return { timeMs, line: event && rowLine(event), faults: [] };
    } catch (error) {
      if (!(error instanceof EventRowError)) throw error;
      return { timeMs, line: undefined, faults: error.faults };
    }
  };
}
