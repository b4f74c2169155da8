import type { Pool } from 'pg';
import { briefOfBody, type StoredPacket, type PacketReader, type PacketSpan } from '../packets/packet';
import { type BodyColumns, fromBodyColumns, fromPacketRow, PACKET_TABLE_COLUMNS, type PacketRow } from './packet-row';
import { readRows } from './reading';
import type { CheckpointReader, CheckpointHeader } from '../labeling/label-store';

export const CHECKPOINT_HEADER_COLUMNS = [
  'symbol',
  'window_end_ms',
  'epoch',
  'ordinal',
  'lineage_digest',
  'policy_digest',
  'state_digest',
] as const;

/** The driver returns 64-bit integers as text. */
type CheckpointHeaderRow = Readonly<Record<Exclude<(typeof CHECKPOINT_HEADER_COLUMNS)[number], 'epoch'>, string>> & {
  readonly epoch: number;
};

function fromCheckpointHeaderRow(row: CheckpointHeaderRow): CheckpointHeader {
  return {
    symbol: row.symbol,
    windowEndMs: Number(row.window_end_ms),
    epoch: row.epoch,
    ordinal: Number(row.ordinal),
    lineageDigest: row.lineage_digest,
    policyDigest: row.policy_digest,
    stateDigest: row.state_digest,
  };
}

export function createPostgresCheckpointReader(pool: Pool): CheckpointReader {
  return {
    async list({ symbol, fromMs, toMs }, count) {
      const rows = await readRows<CheckpointHeaderRow>(
        pool,
        `SELECT ${CHECKPOINT_HEADER_COLUMNS.join(', ')} FROM checkpoint WHERE symbol = $1
           AND ($2::bigint IS NULL OR window_end_ms >= $2)
           AND ($3::bigint IS NULL OR window_end_ms < $3)
         ORDER BY window_end_ms LIMIT $4`,
        [symbol, fromMs, toMs, count],
      );
      return rows.map(fromCheckpointHeaderRow);
    },
    async find(symbol, windowEndMs) {
      const [row] = await readRows<CheckpointHeaderRow & { readonly state: Buffer }>(
        pool,
        `SELECT ${CHECKPOINT_HEADER_COLUMNS.join(', ')}, state FROM checkpoint WHERE symbol = $1 AND window_end_ms = $2`,
        [symbol, windowEndMs],
      );
      return row === undefined ? undefined : { ...fromCheckpointHeaderRow(row), stateGzip: row.state };
    },
  };
}

const SELECT_PACKET = `SELECT ${PACKET_TABLE_COLUMNS.join(', ')} FROM packet`;

/** The body is set only without a brief. */
interface BriefRow extends BodyColumns {
  readonly window_end_ms: string;
  readonly sequence: string;
  readonly lineage_digest: string;
  readonly brief: string | null;
}

function inOrder({ newestFirst }: PacketSpan): string {
  return `WHERE symbol = $1
     AND ($2::bigint IS NULL OR window_end_ms >= $2)
     AND ($3::bigint IS NULL OR window_end_ms < $3)
     AND ($4::bigint IS NULL OR (window_end_ms <= $4 AND known_ts_ms <= $4))
   ORDER BY window_end_ms ${newestFirst ? 'DESC' : 'ASC'} LIMIT $5`;
}

function valuesOf({ symbol, fromMs, toMs, asOfMs }: PacketSpan, count: number): unknown[] {
  return [symbol, fromMs, toMs, asOfMs, count];
}

export function createPostgresPacketReader(pool: Pool): PacketReader {
  async function read(text: string, values: unknown[]): Promise<StoredPacket[]> {
    return (await readRows<PacketRow>(pool, text, values)).map(fromPacketRow);
  }

  return {
    async newest(symbol) {
      const [packet] = await read(`${SELECT_PACKET} WHERE symbol = $1 ORDER BY window_end_ms DESC LIMIT 1`, [symbol]);
      return packet;
    },
    at: (symbol, windowEndsMs) => read(`${SELECT_PACKET} WHERE symbol = $1 AND window_end_ms = ANY ($2::bigint[])`, [symbol, windowEndsMs]),
    async find(eventId) {
      const [packet] = await read(`${SELECT_PACKET} WHERE event_id = $1`, [eventId]);
      return packet;
    },
    list: (span, count) => read(`${SELECT_PACKET} ${inOrder(span)}`, valuesOf(span, count)),
    async briefs(span, count) {
      const rows = await readRows<BriefRow>(
        pool,
        `SELECT window_end_ms, sequence, lineage_digest, brief, CASE WHEN brief IS NULL THEN body END AS body,
           CASE WHEN brief IS NULL THEN packed_body END AS packed_body
         FROM packet ${inOrder(span)}`,
        valuesOf(span, count),
      );
      return rows.map(({ window_end_ms, sequence, lineage_digest: lineageDigest, brief, ...body }) => ({
        windowEndMs: Number(window_end_ms),
        sequence: Number(sequence),
        lineageDigest,
        brief: brief ?? briefOfBody(fromBodyColumns(body)),
      }));
    },
  };
}
