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

/** Columns of a dataset's rows, as in the archive's files. */
export function logColumns(dataset: LogDataset): readonly Column[] {
  return archiveLayoutOf(CHANNELS[dataset]).columns;
}

export interface LogRowsWanted {
  readonly spec: ExportSpec;
  readonly dataset: LogDataset;
  readonly symbol: string;
  readonly plan: PartPlan;
  readonly hour: SourceHour;
}

/**
 * Rows of an hour that is not archived, as its file would have them, in log order.
 * @throws {PartError} `source_damaged` when a row is not what its entry says
 */
export async function* logRows(
  { marketData }: Pick<Upstreams, 'marketData'>,
  { spec, dataset, symbol, plan, hour }: LogRowsWanted,
  signal: AbortSignal,
): AsyncGenerator<Row[]> {
  const channel = CHANNELS[dataset];
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
        return cells;
      });
      await setImmediate();
    }
  }
}
