import { unavailable } from '@market-state/errors';
import { isTransientDatabaseError } from '@market-state/postgres';
import type { IssueStore, NewKey } from '../keys/issue-key';
import type { KeyChange, StoredKey } from '../keys/key';
import type { LastUsedStore } from '../keys/last-used';
import type { ApiKey, Prisma, PrismaClient } from '../generated/prisma/client';

/** Keys in Postgres. */
export interface KeyStore extends IssueStore, LastUsedStore {
  findByDigest(digest: Uint8Array): Promise<StoredKey | null>;
  /** Ends a key that has not ended before; its tenant, or null when there is no such key. */
  revoke(keyId: string, nowMs: number): Promise<{ tenantId: string } | null>;
  findExpired(fromMs: number, toMs: number): Promise<readonly KeyChange[]>;
  /** Resolves when the database answers. */
  ping(): Promise<void>;
}

/** Failures that pass by themselves become UNAVAILABLE. */
export function createPrismaKeyStore(prisma: PrismaClient): KeyStore {
  return {
    async findByDigest(digest) {
      const row = await whileAvailable(prisma.apiKey.findUnique({ where: { digest: ownBytes(digest) } }));
      return row === null ? null : fromRow(row);
    },

    insertKey: (tenant, key, activeMax) => whileAvailable(prisma.$transaction((tx) => insertKey(tx, tenant, key, activeMax))),

    async revoke(keyId, nowMs) {
      await whileAvailable(prisma.apiKey.updateMany({ where: { id: keyId, revokedAt: null }, data: { revokedAt: new Date(nowMs) } }));
      return whileAvailable(prisma.apiKey.findUnique({ where: { id: keyId }, select: { tenantId: true } }));
    },

    async findExpired(fromMs, toMs) {
      const where = { revokedAt: null, expiresAt: { gt: new Date(fromMs), lte: new Date(toMs) } };
      const rows = await whileAvailable(prisma.apiKey.findMany({ where, select: { id: true, digest: true } }));
      return rows.map((row) => ({ keyId: row.id, digest: row.digest }));
    },

    async writeLastUsed(keyId, usedTsMs, unlessSinceMs) {
      await prisma.apiKey.updateMany({
        where: { id: keyId, OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: new Date(unlessSinceMs) } }] },
        data: { lastUsedAt: new Date(usedTsMs) },
      });
    },

    async ping() {
      await prisma.$queryRaw`SELECT 1`;
    },
  };
}

async function insertKey(
  tx: Prisma.TransactionClient,
  tenant: { name: string; newTenantId: string },
  key: NewKey,
  activeMax: number,
): Promise<{ tenantId: string } | null> {
  const createdAt = new Date(key.createdTsMs);
  // Also writes a tenant that is there, to hold its row: calls for one tenant count and insert one after the other.
  const { id: tenantId } = await tx.tenant.upsert({
    where: { name: tenant.name },
    create: { id: tenant.newTenantId, name: tenant.name, createdAt },
    update: { name: tenant.name },
  });
  const activeTotal = await tx.apiKey.count({
    where: { tenantId, revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: createdAt } }] },
  });
  if (activeTotal >= activeMax) return null;
  await tx.apiKey.create({
    data: {
      id: key.id,
      tenantId,
      kind: key.kind,
      scopes: [...key.scopes],
      digest: ownBytes(key.digest),
      displayFirst: key.display.first,
      displayLast: key.display.last,
      createdAt,
      expiresAt: key.expiresTsMs === null ? null : new Date(key.expiresTsMs),
    },
  });
  return { tenantId };
}

async function whileAvailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isTransientDatabaseError(error)) throw error;
    throw unavailable('upstream_unavailable', 'Keys cannot be looked up just now.', { cause: error });
  }
}

function fromRow(row: ApiKey): StoredKey {
  return {
    id: row.id,
    tenantId: row.tenantId,
    kind: row.kind,
    scopes: row.scopes,
    digest: row.digest,
    expiresTsMs: row.expiresAt?.getTime() ?? null,
    revokedTsMs: row.revokedAt?.getTime() ?? null,
  };
}

/** A copy on a buffer of its own, as the client's type asks. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
