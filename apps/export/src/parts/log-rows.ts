import type { Column, Row } from '@market-state/archive';
import type { LogDataset } from '@market-state/export-schema';
import { archiveLayoutOf, archiveRow, type DataChannel, decodeEvent } from '@market-state/market-data';
import { setImmediate } from 'node:timers/promises';
import type { PartPlan, SourceHour } from '../jobs/part';
import type { ExportSpec } from '../jobs/spec';
import { channelOf } from '../planning/plan-symbol';
import type { Upstreams } from '../upstreams';
import { PartError } from './faults';

/** Rows decoded at once: heartbeats have a turn between two pieces. */
const PIECE_ROWS = 128;

const CHANNELS: Readonly<Record<LogDataset, DataChannel>> = {
  book: 'book',
  trades: 'trade',
  context: 'context',
  liquidations: 'liquidation',
};

/** The event whole, which no export reads and which is most of a row. */
const NOT_READ = 'payload';

/** Columns of a dataset's rows as far as exports read them, as in the archive's files. */
export function logColumns(dataset: LogDataset): readonly Column[] {
  return archiveLayoutOf(CHANNELS[dataset]).columns.filter(({ name }) => name !== NOT_READ);
}

export interface LogRowsWanted {
  readonly spec: ExportSpec;
  readonly dataset: LogDataset;
  readonly symbol: string;
  readonly plan: PartPlan;
  readonly hour: SourceHour;
}

/**
 * Rows of an hour that is not archived, values in the order of `logColumns`, in log order.
 * @throws {PartError} `source_damaged` when a row is not what its entry says
 */
export async function* logRows(
  { marketData }: Pick<Upstreams, 'marketData'>,
  { spec, dataset, symbol, plan, hour }: LogRowsWanted,
  signal: AbortSignal,
): AsyncGenerator<Row[]> {
  const channel = CHANNELS[dataset];
  const notRead = archiveLayoutOf(channel).columns.findIndex(({ name }) => name === NOT_READ);
  const messages = marketData.call.streamStoredRows(
    {
      symbol,
      channel: channelOf(dataset),
      startMs: plan.fromMs,
      endMs: plan.toMs,
      asOfMs: spec.asOfMs,
      afterOrdinal: hour.firstOrdinal - 1,
      toOrdinal: Math.min(hour.lastOrdinal, plan.toOrdinal),
    },
    { signal },
  );
  for await (const { rows } of messages) {
    for (let at = 0; at < rows.length; at += PIECE_ROWS) {
      yield rows.slice(at, at + PIECE_ROWS).map((row) => {
        const stored = { ...row, venueId: row.venueId === '' ? null : row.venueId };
        const cells = archiveRow(symbol, channel, stored, decodeEvent(row.payload));
        if (cells === undefined) throw new PartError('source_damaged', `Row ${row.ordinal} of ${symbol} is not what its entry says.`);
        return cells.toSpliced(notRead, 1);
      });
      await setImmediate();
    }
  }
}
