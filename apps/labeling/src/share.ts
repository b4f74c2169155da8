import { randomBytes } from 'node:crypto';
import { newId } from '@market-state/credentials';
import { failedPrecondition, resourceExhausted } from '@market-state/errors';
import type { SourceKind } from '@market-state/market-data';
import { limitsOf } from '@market-state/pricing';
import type { StoredPacket } from './packets/packet';
import type { SigningKey } from './packets/packet-signer';

/** Minimum age of a shared packet: the delay of all data shown without a key. */
const SHAREABLE_AFTER_MS = 600_000;

export const DAYS_MAX = 90;
const DAY_MS = 86_400_000;

export const PROOF_KEPT_MS = 365 * DAY_MS;

type Proof = Pick<
  StoredPacket,
  | 'symbol'
  | 'windowEndMs'
  | 'packetId'
  | 'eventId'
  | 'packetDigest'
  | 'lineageDigest'
  | 'inputDigest'
  | 'policyDigest'
  | 'generatedTsMs'
  | 'sourceKind'
>;

/** Shown by link for a limited time. Times are wall clock. */
export interface Share extends Proof {
  readonly shareId: string;
  readonly tenantId: string;
  readonly createdMs: number;
  readonly expiresMs: number;
  readonly revokedMs: number | null;
  readonly signature: { readonly bytes: Uint8Array; readonly key: SigningKey } | null;
  readonly state: string;
  readonly stateLabel: string;
}

export interface ShareOrder {
  readonly shareId: string;
  readonly tenantId: string;
  readonly operationId: string;
  readonly createdMs: number;
  readonly expiresMs: number;
  readonly packet: StoredPacket;
  /** Includes this share. */
  readonly activeMax: number;
}

/** `withheld`: this installation does not currently share such packets. */
export type ShareStatus = 'active' | 'expired' | 'revoked' | 'withheld';

export function standingOf(
  share: Pick<Share, 'expiresMs' | 'revokedMs' | 'sourceKind'>,
  nowMs: number,
  liveIsShared: boolean,
): ShareStatus {
  if (share.revokedMs !== null) return 'revoked';
  if (nowMs >= share.expiresMs) return 'expired';
  return isShared(share.sourceKind, liveIsShared) ? 'active' : 'withheld';
}

function isShared(sourceKind: SourceKind, liveIsShared: boolean): boolean {
  return sourceKind !== 'live' || liveIsShared;
}

export type ShareCursor = Pick<Share, 'createdMs' | 'shareId'>;

export interface ShareStore {
  /** Returns the share of the same operation if there is one; null if the tenant's limit is reached. */
  create(order: ShareOrder): Promise<Share | null>;
  list(tenantId: string, after: ShareCursor | null, count: number): Promise<Share[]>;
  revoke(tenantId: string, shareId: string, nowMs: number): Promise<Share | undefined>;
  /** `body` is null once the share has ended. */
  find(shareId: string): Promise<{ readonly share: Share; readonly body: string | null } | undefined>;
  sweep(nowMs: number): Promise<void>;
}

export interface CreateShareDeps {
  readonly shares: Pick<ShareStore, 'create'>;
  readonly sharesLive: boolean;
  readonly clock: () => number;
}

interface ShareRequest {
  readonly tenantId: string;
  readonly planId: string;
  readonly operationId: string;
  readonly packet: StoredPacket;
  readonly days: number;
}

export async function createShare({ shares, sharesLive, clock }: CreateShareDeps, requested: ShareRequest): Promise<Share> {
  const { tenantId, planId, operationId, packet, days } = requested;
  if (!isShared(packet.sourceKind, sharesLive))
    throw failedPrecondition('live_sharing_off', 'This installation does not share packets of live venues.');
  const nowMs = clock();
  const shareableMs = packet.knownTsMs + SHAREABLE_AFTER_MS;
  if (nowMs < shareableMs)
    throw failedPrecondition(
      'packet_too_young',
      `The packet can be shared from ${new Date(shareableMs).toISOString()}, 600 s after it became known.`,
      { metadata: { shareable_ms: String(shareableMs) } },
    );
  const { activeShares: activeMax } = limitsOf(planId);
  const order = {
    shareId: newId('shr', randomBytes),
    tenantId,
    operationId,
    createdMs: nowMs,
    expiresMs: nowMs + days * DAY_MS,
    packet,
    activeMax,
  };
  const share = await shares.create(order);
  if (share !== null) return share;
  throw resourceExhausted('too_many_shares', `The plan allows ${activeMax} active shares, and all are in use. Revoke one first.`, {
    metadata: { limit: String(activeMax) },
  });
}
