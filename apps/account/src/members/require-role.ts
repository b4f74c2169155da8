import { includesRole, type MemberRole } from '@market-state/credentials';
import { ServiceError, unauthenticated } from '@market-state/errors';
import type { Queryable } from '@market-state/postgres';
import { roleOfCredential } from '../store/keys';

/** Acting key or session. */
export interface Actor {
  readonly tenantId: string;
  /** SHA-256 of its secret. */
  readonly digest: Uint8Array;
}

/**
 * Refuses a change whose credential ended, or whose role was narrowed, after the gateway verified it.
 * @throws ServiceError `unauthenticated`; `insufficient_role`
 */
export async function requireRole(db: Queryable, { tenantId, digest }: Actor, needed: MemberRole, nowMs: number): Promise<void> {
  const held = await roleOfCredential(db, tenantId, digest, nowMs);
  if (held === null) throw unauthenticated('unauthenticated', 'The key or session of this call is no longer valid.');
  if (!includesRole(held, needed))
    throw new ServiceError({
      code: 'PERMISSION_DENIED',
      reason: 'insufficient_role',
      sentence: `This needs the role ${needed}. Ask an owner of your team.`,
      metadata: { role: needed },
    });
}
