import type { IssueStore } from '../keys/issue-key';
import type { KeyChange, StoredKey } from '../keys/key';
import type { LastUsedStore } from '../keys/last-used';
import type { ApiKey, PrismaClient } from '../generated/prisma/client';

/** Keys in Postgres. */
export interface KeyStore extends IssueStore, LastUsedStore {
  findByDigest(digest: Uint8Array): Promise<StoredKey | null>;
  /** Ends a key that has not ended before; its tenant, or null when there is no such key. */
  revoke(keyId: string, nowMs: number): Promise<{ tenantId: string } | null>;
  findExpired(fromMs: number, toMs: number): Promise<readonly KeyChange[]>;
  /** Resolves when the database answers. */
  ping(): Promise<void>;
}

export function createPrismaKeyStore(prisma: PrismaClient): KeyStore {
  return {
    async findByDigest(digest) {
      const row = await prisma.apiKey.findUnique({ where: { digest: ownBytes(digest) } });
      return row === null ? null : fromRow(row);
    },

    async insertKey(tenant, key, activeMax) {
      return prisma.$transaction(async (tx) => {
        const createdAt = new Date(key.createdTsMs);
        // The lock on the tenant's row makes calls for one tenant count and insert one after the other.
        await tx.$executeRaw`INSERT INTO tenant (id, name, created_at) VALUES (${tenant.newTenantId}, ${tenant.name}, ${createdAt}) ON CONFLICT (name) DO NOTHING`;
        const [locked] = await tx.$queryRaw<{ id: string }[]>`SELECT id FROM tenant WHERE name = ${tenant.name} FOR UPDATE`;
        if (locked === undefined) throw new Error('the tenant was deleted while a key was made for it');
        const activeTotal = await tx.apiKey.count({
          where: { tenantId: locked.id, revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: createdAt } }] },
        });
        if (activeTotal >= activeMax) return null;
        await tx.apiKey.create({
          data: {
            id: key.id,
            tenantId: locked.id,
            kind: key.kind,
            scopes: [...key.scopes],
            digest: ownBytes(key.digest),
            displayFirst: key.display.first,
            displayLast: key.display.last,
            createdAt,
            expiresAt: key.expiresTsMs === null ? null : new Date(key.expiresTsMs),
          },
        });
        return { tenantId: locked.id };
      });
    },

    async revoke(keyId, nowMs) {
      await prisma.apiKey.updateMany({ where: { id: keyId, revokedAt: null }, data: { revokedAt: new Date(nowMs) } });
      return prisma.apiKey.findUnique({ where: { id: keyId }, select: { tenantId: true } });
    },

    async findExpired(fromMs, toMs) {
      const rows = await prisma.apiKey.findMany({
        where: { revokedAt: null, expiresAt: { gt: new Date(fromMs), lte: new Date(toMs) } },
        select: { id: true, digest: true },
      });
      return rows.map((row) => ({ keyId: row.id, digest: row.digest }));
    },

    async writeLastUsed(keyId, usedTsMs, unlessSinceMs) {
      await prisma.apiKey.updateMany({
        where: { id: keyId, OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: new Date(unlessSinceMs) } }] },
        data: { lastUsedAt: new Date(usedTsMs) },
      });
    },

    async ping() {
      await prisma.$queryRaw`SELECT 1`;
    },
  };
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
