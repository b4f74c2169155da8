import type { Pool } from 'pg';
import type { LabelCommit } from '../labeling/label-store';
import type { StoredPacket } from '../packets/packet';
import { NEW_PACKET_COLUMNS, toNewPacketRow } from './packet-row';

/** Where the packets of a symbol end. */
export interface PacketEnd {
  readonly sequence: number;
  readonly windowEndMs: number;
}

/** Takes the position in the table `symbol_position` to `$3` and `$4`, never back. */
export const MOVED_POSITION = `
  epoch = CASE WHEN (epoch, ordinal) < ($3, $4) THEN $3 ELSE epoch END,
  ordinal = CASE WHEN (epoch, ordinal) < ($3, $4) THEN $4 ELSE ordinal END`;

const COLUMNS = NEW_PACKET_COLUMNS.join(', ');
const APPEND = `
  WITH moved AS (
    UPDATE symbol_position SET last_sequence = $2, ${MOVED_POSITION} WHERE symbol = $1 AND last_sequence = $5 RETURNING 1
  )
  INSERT INTO packet (${COLUMNS}) SELECT ${COLUMNS} FROM moved, jsonb_populate_recordset(NULL::packet, $6)`;

/**
 * Stores packets that are newer than all of their symbol, and moves its position, in one statement.
 * @param end where the symbol's packets ended when this process stored the last of them
 * @returns the packets with their sequences; undefined when they end elsewhere by now: then nothing is written
 */
export async function appendPackets(
  pool: Pool,
  { symbol, packets, position }: LabelCommit,
  end: PacketEnd,
): Promise<readonly StoredPacket[] | undefined> {
  const numbered = packets.map((packet, index) => ({ ...packet, sequence: end.sequence + index + 1 }));
  const { rowCount } = await pool.query({
    name: 'append-packets',
    text: APPEND,
    values: [
      symbol,
      end.sequence + packets.length,
      position.epoch,
      position.ordinal,
      end.sequence,
      JSON.stringify(numbered.map((packet) => recordOf(toNewPacketRow(packet)))),
    ],
  });
  return rowCount === packets.length ? numbered : undefined;
}

function recordOf(values: ReturnType<typeof toNewPacketRow>): Record<string, unknown> {
  return Object.fromEntries(
    NEW_PACKET_COLUMNS.map((column, index) => {
      const value = values[index];
      return [column, value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value];
    }),
  );
}
