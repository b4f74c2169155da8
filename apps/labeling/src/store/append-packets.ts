import type { Pool } from 'pg';
import type { LabelCommit } from '../labeling/label-store';
import type { StoredPacket, TimedPacket } from '../packets/packet';
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

/**
 * Of signing keys `signing_key_id` was in use until after `made_ms` at least: while a key is replaced, processes of other shards go on
 * signing with the one before.
 */
export function keyInUse(signingKeyId: string, madeMs: string): string {
  return `UPDATE signing_key SET valid_to_ms = ${madeMs} + 1 WHERE key_id = ${signingKeyId} AND valid_to_ms <= ${madeMs}`;
}

const COLUMNS = NEW_PACKET_COLUMNS.join(', ');
const APPEND = `
  WITH moved AS (
    UPDATE symbol_position SET last_sequence = $2, ${MOVED_POSITION} WHERE symbol = $1 AND last_sequence = $5 RETURNING 1
  ), used AS (${keyInUse('$7', '$8::bigint')})
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
      ...keyUse(packets),
    ],
  });
  return rowCount === packets.length ? numbered : undefined;
}

/** The key that packets of one process are signed with, null for none, and when the last of them was made. */
export function keyUse(packets: readonly TimedPacket[]): [string | null, number] {
  const last = packets.at(-1);
  return [last?.signature?.keyId ?? null, last?.generatedTsMs ?? 0];
}

function recordOf(values: ReturnType<typeof toNewPacketRow>): Record<string, unknown> {
  return Object.fromEntries(
    NEW_PACKET_COLUMNS.map((column, index) => {
      const value = values[index];
      return [column, value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value];
    }),
  );
}
