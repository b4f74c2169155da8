import type { CellValue, Column, Row } from '@market-state/archive';
import type { SourceKind } from '@market-state/market-data';
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
import { type ArchivedKind, toCell } from './archived-kind';

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

/** Columns of a file of packets: those of the table, with the body as text. */
export const PACKET_FILE_COLUMNS: readonly Column[] = PACKET_COLUMNS.map((name) => ({ name, type: TYPES[name] ?? 'text' }));

/** Packets in the archive: rows of the table by sequence; the chain of a file is over the bodies. */
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

/** The packet of a row of a file, whose values stand in the order of `PACKET_FILE_COLUMNS`. */
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

/** What of a file a packet's brief is made from. */
export const BRIEF_COLUMNS: readonly Column[] = BRIEF_READ.map((name) => ({ name, type: TYPES[name] ?? 'text' }));

/** The brief of a row of a file, whose values stand in the order of `BRIEF_COLUMNS`. */
export function briefOfRow([windowEndMs, sequence, lineageDigest, body]: Row): StoredBrief {
  return {
    windowEndMs: windowEndMs as number,
    sequence: sequence as number,
    lineageDigest: lineageDigest as string,
    brief: briefOfBody(body as string),
  };
}
