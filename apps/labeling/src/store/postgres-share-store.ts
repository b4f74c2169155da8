import { unavailable } from '@market-state/errors';
import type { SourceKind } from '@market-state/market-data';
import { inTransaction, isTransientDatabaseError } from '@market-state/postgres';
import type { Pool, PoolClient } from 'pg';
import { packBody, unpackBody } from './packet-row';
import { PROOF_KEPT_MS, type Share, type ShareOrder, type ShareStore } from '../share';
import { readRows } from './reading';

interface ShareRow {
  readonly share_id: string;
  readonly tenant_id: string;
  readonly created_ms: string;
  readonly expires_ms: string;
  readonly revoked_ms: string | null;
  readonly symbol: string;
  readonly window_end_ms: string;
  readonly packet_id: string;
  readonly event_id: string;
  readonly packet_digest: string;
  readonly lineage_digest: string;
  readonly input_digest: string;
  readonly policy_digest: string;
  readonly generated_ts_ms: string;
  readonly source_kind: SourceKind;
  readonly signature: Buffer | null;
  readonly key_id: string | null;
  readonly public_key: Buffer | null;
  readonly valid_from_ms: string | null;
  readonly valid_to_ms: string | null;
  readonly state: string;
  readonly state_label: string;
}

const SHARES = `
  SELECT share_id, tenant_id, created_ms, expires_ms, revoked_ms, symbol, window_end_ms, packet_id, event_id, packet_digest, lineage_digest,
    input_digest, policy_digest, generated_ts_ms, source_kind, signature, state, state_label, key_id, public_key, valid_from_ms, valid_to_ms
  FROM share LEFT JOIN signing_key ON key_id = signing_key_id`;

export function createPostgresShareStore(pool: Pool): ShareStore {
  return {
    create: (order) => changing(pool, (client) => create(client, order)),
    async list(tenantId, after, count) {
      const rows = await readRows<ShareRow>(
        pool,
        `${SHARES} WHERE tenant_id = $1 AND ($2::bigint IS NULL OR (created_ms, share_id) < ($2::bigint, $3::text))
         ORDER BY created_ms DESC, share_id DESC LIMIT $4`,
        [tenantId, after?.createdMs ?? null, after?.shareId ?? null, count],
      );
      return rows.map(fromRow);
    },
    revoke: (tenantId, shareId, nowMs) =>
      changing(pool, async (client) => {
        await client.query(
          `UPDATE share SET revoked_ms = $3, packed_body = NULL
           WHERE tenant_id = $1 AND share_id = $2 AND revoked_ms IS NULL AND expires_ms > $3`,
          [tenantId, shareId, nowMs],
        );
        const { rows } = await client.query<ShareRow>(`${SHARES} WHERE tenant_id = $1 AND share_id = $2`, [tenantId, shareId]);
        return rows.map(fromRow)[0];
      }),
    async find(shareId) {
      const [row] = await readRows<ShareRow & { readonly packed_body: Buffer | null }>(
        pool,
        `SELECT share_row.*, body.packed_body FROM (${SHARES} WHERE share_id = $1) AS share_row JOIN share AS body USING (share_id)`,
        [shareId],
      );
      if (row === undefined) return undefined;
      return { share: fromRow(row), body: row.packed_body === null ? null : unpackBody(row.packed_body) };
    },
    async sweep(nowMs) {
      await pool.query('UPDATE share SET packed_body = NULL WHERE packed_body IS NOT NULL AND expires_ms <= $1', [nowMs]);
      await pool.query('DELETE FROM share WHERE least(expires_ms, revoked_ms) <= $1', [nowMs - PROOF_KEPT_MS]);
    },
  };
}

async function changing<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  try {
    return await inTransaction(pool, work);
  } catch (error) {
    if (!isTransientDatabaseError(error)) throw error;
    throw unavailable('upstream_unavailable', 'Stored data cannot be changed at the moment.', { cause: error });
  }
}

async function create(client: PoolClient, order: ShareOrder): Promise<Share | null> {
  const { tenantId, operationId, createdMs, packet } = order;
  // Serializes the shares of one tenant, so that they can be counted.
  await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('shares ' || $1, 0))`, [tenantId]);
  const ofOperation = async (): Promise<Share | undefined> => {
    const { rows } = await client.query<ShareRow>(`${SHARES} WHERE tenant_id = $1 AND operation_id = $2`, [tenantId, operationId]);
    return rows.map(fromRow)[0];
  };
  const earlier = await ofOperation();
  if (earlier !== undefined) return earlier;
  const { rows: counted } = await client.query<{ total: number }>(
    'SELECT count(*)::int AS total FROM share WHERE tenant_id = $1 AND expires_ms > $2 AND revoked_ms IS NULL',
    [tenantId, createdMs],
  );
  if ((counted[0]?.total ?? 0) >= order.activeMax) return null;
  const { state, state_label: stateLabel } = JSON.parse(packet.body) as { readonly state: string; readonly state_label: string };
  await client.query(
    `INSERT INTO share (share_id, tenant_id, operation_id, created_ms, expires_ms, symbol, window_end_ms, packet_id, event_id, packet_digest,
       lineage_digest, input_digest, policy_digest, generated_ts_ms, source_kind, signature, signing_key_id, state, state_label, packed_body)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)`,
    [
      order.shareId,
      tenantId,
      operationId,
      createdMs,
      order.expiresMs,
      packet.symbol,
      packet.windowEndMs,
      packet.packetId,
      packet.eventId,
      packet.packetDigest,
      packet.lineageDigest,
      packet.inputDigest,
      packet.policyDigest,
      packet.generatedTsMs,
      packet.sourceKind,
      packet.signature === null ? null : Buffer.from(packet.signature.bytes),
      packet.signature?.keyId ?? null,
      state,
      stateLabel,
      packBody(packet.body),
    ],
  );
  return (await ofOperation()) ?? null;
}

function fromRow(row: ShareRow): Share {
  return {
    shareId: row.share_id,
    tenantId: row.tenant_id,
    createdMs: Number(row.created_ms),
    expiresMs: Number(row.expires_ms),
    revokedMs: row.revoked_ms === null ? null : Number(row.revoked_ms),
    symbol: row.symbol,
    windowEndMs: Number(row.window_end_ms),
    packetId: row.packet_id,
    eventId: row.event_id,
    packetDigest: row.packet_digest,
    lineageDigest: row.lineage_digest,
    inputDigest: row.input_digest,
    policyDigest: row.policy_digest,
    generatedTsMs: Number(row.generated_ts_ms),
    sourceKind: row.source_kind,
    signature: signatureOf(row),
    state: row.state,
    stateLabel: row.state_label,
  };
}

function signatureOf({
  signature,
  key_id: keyId,
  public_key: publicKey,
  valid_from_ms: from,
  valid_to_ms: to,
}: ShareRow): Share['signature'] {
  if (signature === null || keyId === null || publicKey === null) return null;
  return { bytes: signature, key: { keyId, publicKey, validFromMs: Number(from), validToMs: to === null ? null : Number(to) } };
}
