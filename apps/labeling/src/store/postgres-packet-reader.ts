import type { Pool } from 'pg';
import type { PacketReader } from '../packets/packet-reader';
import type { StoredPacket } from '../packets/packet';
import { fromPacketRow, PACKET_COLUMNS, type PacketRow } from './packet-row';
import { readRows } from './reading';

const SELECT_PACKET = `SELECT ${PACKET_COLUMNS.join(', ')} FROM packet`;

/** Retained packets in Postgres. Failures that pass by themselves become UNAVAILABLE. */
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
    list: ({ symbol, fromMs, toMs, asOfMs, newestFirst }, count) =>
      read(
        `${SELECT_PACKET} WHERE symbol = $1
           AND ($2::bigint IS NULL OR window_end_ms >= $2)
           AND ($3::bigint IS NULL OR window_end_ms < $3)
           AND ($4::bigint IS NULL OR (window_end_ms <= $4 AND known_ts_ms <= $4))
         ORDER BY window_end_ms ${newestFirst ? 'DESC' : 'ASC'} LIMIT $5`,
        [symbol, fromMs, toMs, asOfMs, count],
      ),
  };
}
