import type { EntryId } from '@market-state/event-log';
import { copyRows, inTransaction } from '@market-state/postgres';
import type { Pool, PoolClient } from 'pg';
import type { CommitResult, LabelCommit, LabelStore, RefusedPacket, RefusedCheckpoint, Checkpoint } from '../labeling/label-store';
import type { PacketSignature, StoredPacket, TimedPacket } from '../packets/packet';
import { fromSignatureColumns, NEW_PACKET_COLUMNS, type SignatureColumns, toNewPacketRow } from './packet-row';

interface PacketEnd {
  readonly sequence: number;
  readonly windowEndMs: number;
}

const MOVED_POSITION = `
  epoch = CASE WHEN (epoch, ordinal) < ($3, $4) THEN $3 ELSE epoch END,
  ordinal = CASE WHEN (epoch, ordinal) < ($3, $4) THEN $4 ELSE ordinal END`;

/**
 * Extends `valid_to_ms` of a key past `made_ms`: during a key rotation, other shards' processes still sign with the
 * previous one.
 */
function keyInUse(signingKeyId: string, madeMs: string): string {
  return `UPDATE signing_key SET valid_to_ms = ${madeMs} + 1 WHERE key_id = ${signingKeyId} AND valid_to_ms <= ${madeMs}`;
}

const COLUMNS = NEW_PACKET_COLUMNS.join(', ');
const APPEND = `
  WITH moved AS (
    UPDATE symbol_position SET last_sequence = $2, ${MOVED_POSITION} WHERE symbol = $1 AND last_sequence = $5 RETURNING 1
  ), used AS (${keyInUse('$7', '$8::bigint')})
  INSERT INTO packet (${COLUMNS}) SELECT ${COLUMNS} FROM moved, jsonb_populate_recordset(NULL::packet, $6)`;

/**
 * Appends packets newer than all of their symbol and advances its position, in one statement.
 * @param end packet end of the symbol as last stored by this process
 * @returns the packets with sequences; undefined, with nothing written, if another process has moved the end
 */
async function appendPackets(
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

function keyUse(packets: readonly TimedPacket[]): [string | null, number] {
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

/**
 * Stores a checkpoint in the open transaction, which locks the symbol, unless its window has one.
 * @returns the difference from the stored one, if any
 */
async function storeCheckpoint(client: PoolClient, checkpoint: Checkpoint): Promise<RefusedCheckpoint | undefined> {
  const { symbol, windowEndMs, epoch, ordinal, lineageDigest, policyDigest, stateDigest, stateGzip } = checkpoint;
  const { rowCount } = await client.query(
    `INSERT INTO checkpoint (symbol, window_end_ms, epoch, ordinal, lineage_digest, policy_digest, state_digest, state)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (symbol, window_end_ms) DO NOTHING`,
    [symbol, windowEndMs, epoch, ordinal, lineageDigest, policyDigest, stateDigest, stateGzip],
  );
  if (rowCount === 1) return undefined;
  const { rows } = await client.query<{ state_digest: string }>(
    'SELECT state_digest FROM checkpoint WHERE symbol = $1 AND window_end_ms = $2',
    [symbol, windowEndMs],
  );
  const storedStateDigest = String(rows[0]?.state_digest);
  return storedStateDigest === stateDigest ? undefined : { windowEndMs, stateDigest, storedStateDigest };
}

interface StoredFacts {
  readonly packetDigest: string;
  readonly sequence: number;
  readonly generatedTsMs: number;
  readonly sourceLagMs: number;
  readonly signature: PacketSignature | null;
}

export function createPostgresLabelStore(pool: Pool): LabelStore {
  /** Last stored by this process; missing before the first and after a failure. */
  const ends = new Map<string, PacketEnd>();

  async function commit(work: LabelCommit): Promise<CommitResult> {
    const end = ends.get(work.symbol);
    ends.delete(work.symbol);
    const appended = end !== undefined && isAppend(work, end) ? await appendPackets(pool, work, end) : undefined;
    if (appended === undefined) {
      const { result, end: endNow } = await inTransaction(pool, (client) => write(client, work));
      const known = endNow ?? (work.packets.length === 0 ? end : undefined);
      if (known !== undefined) ends.set(work.symbol, known);
      return result;
    }
    ends.set(work.symbol, endOf(appended) as PacketEnd);
    return { kept: appended, stored: appended, refused: [] };
  }

  return {
    async loadState(symbol) {
      const { rows } = await pool.query<{ epoch: number; ordinal: string; state: Buffer; connected: Buffer | null }>(
        'SELECT epoch, ordinal, state, connected FROM labeler_state WHERE symbol = $1',
        [symbol],
      );
      const [row] = rows;
      if (row === undefined) return undefined;
      return { id: { epoch: row.epoch, ordinal: Number(row.ordinal) }, state: row.state, connected: row.connected ?? undefined };
    },
    async newestWindowEndMs(symbol) {
      const { rows } = await pool.query<{ newest: string | null }>('SELECT max(window_end_ms) AS newest FROM packet WHERE symbol = $1', [
        symbol,
      ]);
      return typeof rows[0]?.newest === 'string' ? Number(rows[0].newest) : undefined;
    },
    commit,
  };
}

/** Only newer packets: the regular case of a live log. */
function isAppend({ packets, state, checkpoint }: LabelCommit, end: PacketEnd): boolean {
  const [first] = packets;
  return first !== undefined && first.windowEndMs > end.windowEndMs && state === undefined && checkpoint === undefined;
}

const endOf = (packets: readonly StoredPacket[]): PacketEnd | undefined => packets.at(-1);

async function write(
  client: PoolClient,
  commit: LabelCommit,
): Promise<{ readonly result: CommitResult; readonly end: PacketEnd | undefined }> {
  const lastSequence = await lockSymbol(client, commit.symbol);
  const stored = await findStored(client, commit);
  const kept: StoredPacket[] = [];
  const fresh: (TimedPacket & Pick<StoredPacket, 'sequence'>)[] = [];
  const refused: RefusedPacket[] = [];
  for (const packet of commit.packets) {
    const before = stored.get(packet.windowEndMs);
    if (before === undefined) {
      const next = { ...packet, sequence: lastSequence + fresh.length + 1 };
      fresh.push(next);
      kept.push(next);
    } else if (before.packetDigest === packet.packetDigest) {
      kept.push({ ...packet, ...before });
    } else {
      refused.push({ windowEndMs: packet.windowEndMs, packetDigest: packet.packetDigest, storedPacketDigest: before.packetDigest });
    }
  }
  if (fresh.length > 0) await storePackets(client, fresh);
  await movePosition(client, commit, lastSequence + fresh.length);
  const refusedCheckpoint = commit.checkpoint === undefined ? undefined : await storeCheckpoint(client, commit.checkpoint);
  const savedId = commit.state === undefined ? undefined : await saveState(client, commit, commit.state);
  return { result: { kept, stored: fresh, refused, refusedCheckpoint, savedId }, end: endOf(fresh) };
}

async function storePackets(client: PoolClient, packets: readonly (TimedPacket & Pick<StoredPacket, 'sequence'>)[]): Promise<void> {
  await copyRows(client, { table: 'packet', columns: NEW_PACKET_COLUMNS }, packets.map(toNewPacketRow));
  const [keyId, madeMs] = keyUse(packets);
  if (keyId !== null) await client.query(keyInUse('$1', '$2::bigint'), [keyId, madeMs]);
}

/** Locks the symbol until the transaction ends, so that labelers write one at a time. Returns its last sequence. */
async function lockSymbol(client: PoolClient, symbol: string): Promise<number> {
  const { rows } = await client.query<{ last_sequence: string }>(
    `INSERT INTO symbol_position (symbol, last_sequence, epoch, ordinal) VALUES ($1, 0, 0, 0)
     ON CONFLICT (symbol) DO UPDATE SET symbol = EXCLUDED.symbol RETURNING last_sequence`,
    [symbol],
  );
  return Number(rows[0]?.last_sequence);
}

async function findStored(client: PoolClient, { symbol, packets }: LabelCommit): Promise<Map<number, StoredFacts>> {
  if (packets.length === 0) return new Map();
  type Row = Record<'window_end_ms' | 'packet_digest' | 'sequence' | 'generated_ts_ms' | 'source_lag_ms', string> & SignatureColumns;
  const { rows } = await client.query<Row>(
    `SELECT window_end_ms, packet_digest, sequence, generated_ts_ms, source_lag_ms, signature, signing_key_id
     FROM packet WHERE symbol = $1 AND window_end_ms = ANY ($2::bigint[])`,
    [symbol, packets.map((packet) => packet.windowEndMs)],
  );
  return new Map(
    rows.map((row) => [
      Number(row.window_end_ms),
      {
        packetDigest: row.packet_digest,
        sequence: Number(row.sequence),
        generatedTsMs: Number(row.generated_ts_ms),
        sourceLagMs: Number(row.source_lag_ms),
        signature: fromSignatureColumns(row),
      },
    ]),
  );
}

async function movePosition(client: PoolClient, { symbol, position }: LabelCommit, lastSequence: number): Promise<void> {
  await client.query(`UPDATE symbol_position SET last_sequence = $2, ${MOVED_POSITION} WHERE symbol = $1`, [
    symbol,
    lastSequence,
    position.epoch,
    position.ordinal,
  ]);
}

async function saveState(client: PoolClient, { symbol, position, connected }: LabelCommit, state: Uint8Array): Promise<EntryId> {
  await client.query(
    `INSERT INTO labeler_state AS saved (symbol, epoch, ordinal, state, connected) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (symbol) DO UPDATE SET epoch = EXCLUDED.epoch, ordinal = EXCLUDED.ordinal, state = EXCLUDED.state,
       connected = coalesce(EXCLUDED.connected, saved.connected)
     WHERE (saved.epoch, saved.ordinal) < (EXCLUDED.epoch, EXCLUDED.ordinal)`,
    [symbol, position.epoch, position.ordinal, state, connected ?? null],
  );
  const { rows } = await client.query<{ epoch: number; ordinal: string }>('SELECT epoch, ordinal FROM labeler_state WHERE symbol = $1', [
    symbol,
  ]);
  return { epoch: Number(rows[0]?.epoch), ordinal: Number(rows[0]?.ordinal) };
}
