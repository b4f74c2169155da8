import type { Column, Row } from '@market-state/archive';
import type { Checkpoint, CheckpointHeader } from '../checkpoints/checkpoint';
import { CHECKPOINT_HEADER_COLUMNS } from '../store/postgres-checkpoint-reader';
import { type ArchivedKind, toCell } from './archived-kind';

const TYPES: Readonly<Partial<Record<(typeof CHECKPOINT_HEADER_COLUMNS)[number], Column['type']>>> = {
  window_end_ms: 'int64',
  epoch: 'int32',
  ordinal: 'int64',
};

/** Columns of a file of checkpoints that say what stands around a state. */
export const CHECKPOINT_FILE_HEADER: readonly Column[] = CHECKPOINT_HEADER_COLUMNS.map((name) => ({ name, type: TYPES[name] ?? 'text' }));
/** The same and the state, gzip. */
export const CHECKPOINT_FILE_COLUMNS: readonly Column[] = [...CHECKPOINT_FILE_HEADER, { name: 'state', type: 'blob' }];

/** Checkpoints in the archive: rows of the table in log order; the chain of a file is over the packed states. */
export const checkpointKind: ArchivedKind = {
  channel: 'checkpoints',
  table: 'checkpoint',
  columns: CHECKPOINT_FILE_COLUMNS.map(({ name }) => name),
  layout: { columns: CHECKPOINT_FILE_COLUMNS, ordinal: 'ordinal', time: 'window_end_ms', payload: 'state' },
  toRow: (row) => CHECKPOINT_FILE_COLUMNS.map((column) => toCell(column, row[column.name])),
};

/** The header of a row of a file, whose values stand in the order of `CHECKPOINT_FILE_HEADER`. */
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

/** The checkpoint of a row of a file, whose values stand in the order of `CHECKPOINT_FILE_COLUMNS`. */
export function checkpointOfRow(row: Row): Checkpoint {
  return { ...checkpointHeaderOfRow(row), stateGzip: row[CHECKPOINT_FILE_HEADER.length] as Uint8Array };
}
