import { inTransaction } from '@market-state/postgres';
import type { Pool } from 'pg';
import type { SigningKeyStore } from '../packets/packet-signer';
import { readRows } from './reading';

interface KeyRow {
  readonly key_id: string;
  readonly public_key: Buffer;
  readonly valid_from_ms: string;
  readonly valid_to_ms: string | null;
}

export function createPostgresSigningKeyStore(pool: Pool): SigningKeyStore {
  return {
    register: ({ keyId, publicKey }, atMs) =>
      inTransaction(pool, async (client) => {
        // Services that start together register one at a time, so that exactly one key stays current.
        await client.query('LOCK TABLE signing_key IN SHARE ROW EXCLUSIVE MODE');
        await client.query(`UPDATE signing_key SET valid_to_ms = greatest(valid_from_ms, $2) WHERE key_id <> $1 AND valid_to_ms IS NULL`, [
          keyId,
          atMs,
        ]);
        await client.query(
          `INSERT INTO signing_key (key_id, public_key, valid_from_ms) VALUES ($1, $2, $3)
           ON CONFLICT (key_id) DO UPDATE SET valid_to_ms = NULL WHERE signing_key.valid_to_ms IS NOT NULL`,
          [keyId, publicKey, atMs],
        );
      }),
    async list() {
      const rows = await readRows<KeyRow>(
        pool,
        'SELECT key_id, public_key, valid_from_ms, valid_to_ms FROM signing_key ORDER BY valid_from_ms, key_id',
      );
      return rows.map((row) => ({
        keyId: row.key_id,
        publicKey: row.public_key,
        validFromMs: Number(row.valid_from_ms),
        validToMs: row.valid_to_ms === null ? null : Number(row.valid_to_ms),
      }));
    },
  };
}
