import type { ArchiveLayout, Row, CellValue, Column } from '@market-state/archive';
import type { ArchivedChannel, ArchivedTable } from '../store/archive-files';

/** A value of a table as a file has it: the driver gives 64 bit integers as text. */
export function toCell({ type }: Column, value: unknown): CellValue {
  if (value === null) return null;
  return type === 'int64' ? Number(value) : (value as CellValue);
}

/** One kind of row that goes into the archive, hour by hour of the windows. */
export interface ArchivedKind {
  readonly channel: ArchivedChannel;
  /** Its table; `window_end_ms` is a column of it. */
  readonly table: ArchivedTable;
  /** The table's columns, in the order in which `toRow` takes them. */
  readonly columns: readonly string[];
  readonly layout: ArchiveLayout;
  /** A row of the file out of one of the table, as the driver reads it. */
  toRow(row: Readonly<Record<string, unknown>>): Row;
}

/** Where the file of an hour stands: the layout of the data plane's files. */
export function objectKeyOf(channel: ArchivedChannel, symbol: string, hourMs: number): string {
  const hour = new Date(hourMs).toISOString();
  return `channel=${channel}/symbol=${symbol}/date=${hour.slice(0, 10)}/hour=${hour.slice(11, 13)}/part.parquet`;
}
