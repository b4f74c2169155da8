import type { ArchiveLayout, Row, CellValue, Column } from '@market-state/archive';
import type { SourceKind } from '@market-state/market-data';
import type { ArchivedChannel, ArchivedTable } from '../store/archive-files';
import { briefOfBody, type StoredBrief, type StoredPacket } from '../packets/packet';
import {
  type BodyColumns,
  fromBodyColumns,
  fromPacketRow,
  type IntegerColumn,
  PACKET_COLUMNS,
  PACKET_TABLE_COLUMNS,
  type TextColumn,
} from '../store/packet-row';
import type { Checkpoint, CheckpointHeader } from '../labeling/label-store';
import { CHECKPOINT_HEADER_COLUMNS } from '../store/postgres-packet-reader';

export interface ArchivedKind {
  readonly channel: ArchivedChannel;
  readonly table: ArchivedTable;
  readonly columns: readonly string[];
  readonly layout: ArchiveLayout;
  toRow(row: Readonly<Record<string, unknown>>): Row;
}

/** The layout is that of the data plane's files. */
export function objectKeyOf(channel: ArchivedChannel, symbol: string, hourMs: number): string {
  const hour = new Date(hourMs).toISOString();
  return `channel=${channel}/symbol=${symbol}/date=${hour.slice(0, 10)}/hour=${hour.slice(11, 13)}/part.parquet`;
}

const CHECKPOINT_TYPES: Readonly<Partial<Record<(typeof CHECKPOINT_HEADER_COLUMNS)[number], Column['type']>>> = {
  window_end_ms: 'int64',
  epoch: 'int32',
  ordinal: 'int64',
};

export const CHECKPOINT_FILE_HEADER: readonly Column[] = CHECKPOINT_HEADER_COLUMNS.map((name) => ({
  name,
  type: CHECKPOINT_TYPES[name] ?? 'text',
}));
export const CHECKPOINT_FILE_COLUMNS: readonly Column[] = [...CHECKPOINT_FILE_HEADER, { name: 'state', type: 'blob' }];

/** Checkpoints in log order; a file's chain is over the compressed states. */
export const checkpointKind: ArchivedKind = {
  channel: 'checkpoints',
  table: 'checkpoint',
  columns: CHECKPOINT_FILE_COLUMNS.map(({ name }) => name),
  layout: { columns: CHECKPOINT_FILE_COLUMNS, ordinal: 'ordinal', time: 'window_end_ms', payload: 'state' },
  toRow: (row) => CHECKPOINT_FILE_COLUMNS.map((column) => toCell(column, row[column.name])),
};

/** Values must be in the order of `CHECKPOINT_FILE_HEADER`. */
export function checkpointHeaderOfRow(row: Row): CheckpointHeader {
  const [symbol, windowEndMs, epoch, ordinal, lineageDigest, policyDigest, stateDigest] = row as [
    string,
    number,
    number,
    number,
    string,
    string,
    string,
  ];
  return { symbol, windowEndMs, epoch, ordinal, lineageDigest, policyDigest, stateDigest };
}

/** Values must be in the order of `CHECKPOINT_FILE_COLUMNS`. */
export function checkpointOfRow(row: Row): Checkpoint {
  return { ...checkpointHeaderOfRow(row), stateGzip: row[CHECKPOINT_FILE_HEADER.length] as Uint8Array };
}

const TYPES: Readonly<Partial<Record<(typeof PACKET_COLUMNS)[number], Column['type']>>> = {
  window_end_ms: 'int64',
  sequence: 'int64',
  generated_ts_ms: 'int64',
  source_lag_ms: 'int64',
  signature: 'blob',
  closing_epoch: 'int32',
  closing_ordinal: 'int64',
  known_ts_ms: 'int64',
};

export const PACKET_FILE_COLUMNS: readonly Column[] = PACKET_COLUMNS.map((name) => ({ name, type: TYPES[name] ?? 'text' }));

/** Packets by sequence; a file's chain is over the bodies. */
export const packetKind: ArchivedKind = {
  channel: 'packets',
  table: 'packet',
  columns: PACKET_TABLE_COLUMNS,
  layout: { columns: PACKET_FILE_COLUMNS, ordinal: 'sequence', time: 'window_end_ms', payload: 'body' },
  toRow: (row) =>
    PACKET_FILE_COLUMNS.map((column) =>
      column.name === 'body' ? fromBodyColumns(row as unknown as BodyColumns) : toCell(column, row[column.name]),
    ),
};

/** Values must be in the order of `PACKET_FILE_COLUMNS`. */
export function packetOfRow(row: Row): StoredPacket {
  const value = (name: (typeof PACKET_COLUMNS)[number]): CellValue => row[PACKET_COLUMNS.indexOf(name)] ?? null;
  const text = (name: TextColumn): string => value(name) as string;
  const whole = (name: IntegerColumn): number => value(name) as number;
  return fromPacketRow({
    symbol: text('symbol'),
    window_end_ms: whole('window_end_ms'),
    sequence: whole('sequence'),
    packet_id: text('packet_id'),
    event_id: text('event_id'),
    body: value('body') as string,
    packet_digest: text('packet_digest'),
    lineage_digest: text('lineage_digest'),
    input_digest: text('input_digest'),
    policy_digest: text('policy_digest'),
    generated_ts_ms: whole('generated_ts_ms'),
    source_lag_ms: whole('source_lag_ms'),
    headline: text('headline'),
    customer_next_step: text('customer_next_step'),
    source_kind: value('source_kind') as SourceKind,
    signature: value('signature') as Buffer | null,
    signing_key_id: value('signing_key_id') as string | null,
    closing_epoch: value('closing_epoch') as number | null,
    closing_ordinal: value('closing_ordinal') as number | null,
    known_ts_ms: whole('known_ts_ms'),
  });
}

const BRIEF_READ = ['window_end_ms', 'sequence', 'lineage_digest', 'body'] as const;

export const BRIEF_COLUMNS: readonly Column[] = BRIEF_READ.map((name) => ({ name, type: TYPES[name] ?? 'text' }));

/** Values must be in the order of `BRIEF_COLUMNS`. */
export function briefOfRow([windowEndMs, sequence, lineageDigest, body]: Row): StoredBrief {
  return {
    windowEndMs: windowEndMs as number,
    sequence: sequence as number,
    lineageDigest: lineageDigest as string,
    brief: briefOfBody(body as string),
  };
}

/** The driver returns 64-bit integers as text. */
function toCell({ type }: Column, value: unknown): CellValue {
  if (value === null) return null;
  return type === 'int64' ? Number(value) : (value as CellValue);
}
