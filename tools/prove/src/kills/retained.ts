import { createHash } from 'node:crypto';
import { withClient, type System } from '@market-state/launcher';

/** What a run left in the databases for one symbol, up to a common end. */
export interface Retained {
  /** One digest for each row, in the order of the log. */
  readonly rows: readonly { readonly ordinal: number; readonly digest: string }[];
  readonly packets: readonly { readonly windowEndMs: number; readonly packetDigest: string; readonly lineageDigest: string }[];
}

/** How far a run has come with one symbol. */
export interface Extent {
  readonly lastOrdinal: number;
  readonly lastWindowEndMs: number;
}

export async function extentOf(system: System, symbol: string): Promise<Extent> {
  const rows = await query<{ last: string | null }>(system, 'data_plane', 'SELECT max(ordinal) AS last FROM log_entry WHERE symbol = $1', [symbol]);
  const packets = await query<{ last: string | null }>(system, 'labeling', 'SELECT max(window_end_ms) AS last FROM packet WHERE symbol = $1', [symbol]);
  return { lastOrdinal: Number(rows[0]?.last ?? 0), lastWindowEndMs: Number(packets[0]?.last ?? 0) };
}

export async function retainedOf(system: System, symbol: string, upTo: Extent): Promise<Retained> {
  const rows = await query<{ ordinal: string; epoch: number; payload: Buffer }>(
    system,
    'data_plane',
    'SELECT ordinal, epoch, payload FROM log_entry WHERE symbol = $1 AND ordinal <= $2 ORDER BY ordinal',
    [symbol, upTo.lastOrdinal],
  );
  const packets = await query<{ window_end_ms: string; packet_digest: string; lineage_digest: string }>(
    system,
    'labeling',
    'SELECT window_end_ms, packet_digest, lineage_digest FROM packet WHERE symbol = $1 AND window_end_ms <= $2 ORDER BY window_end_ms',
    [symbol, upTo.lastWindowEndMs],
  );
  return {
    rows: rows.map(({ ordinal, epoch, payload }) => ({
      ordinal: Number(ordinal),
      digest: createHash('sha256').update(`${epoch} `).update(payload).digest('hex'),
    })),
    packets: packets.map((row) => ({
      windowEndMs: Number(row.window_end_ms),
      packetDigest: row.packet_digest,
      lineageDigest: row.lineage_digest,
    })),
  };
}

/** Sentences on the first differences between what two runs left; none when they are equal. */
export function differences(symbol: string, killed: Retained, unbroken: Retained): string[] {
  const found: string[] = [];
  const hole = killed.rows.findIndex(({ ordinal }, index) => ordinal !== index + 1);
  if (hole !== -1) found.push(`${symbol}: the rows are not gapless at ordinal ${hole + 1}.`);
  if (killed.rows.length !== unbroken.rows.length) found.push(`${symbol}: ${killed.rows.length} rows, ${unbroken.rows.length} in the unbroken run.`);
  const row = killed.rows.find(({ digest }, index) => digest !== unbroken.rows[index]?.digest);
  if (row !== undefined) found.push(`${symbol}: the row at ordinal ${row.ordinal} differs.`);
  if (killed.packets.length !== unbroken.packets.length) {
    found.push(`${symbol}: ${killed.packets.length} packets, ${unbroken.packets.length} in the unbroken run.`);
  }
  const packet = killed.packets.find((one, index) => JSON.stringify(one) !== JSON.stringify(unbroken.packets[index]));
  if (packet !== undefined) found.push(`${symbol}: the packet of ${new Date(packet.windowEndMs).toISOString()} or its chain differs.`);
  return found;
}

async function query<Row>(system: System, service: 'data_plane' | 'labeling', sql: string, values: unknown[]): Promise<Row[]> {
  return withClient(system.stores.postgresUrl(service), async (client) => (await client.query(sql, values)).rows as Row[]);
}
