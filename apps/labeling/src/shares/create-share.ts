import { failedPrecondition, resourceExhausted } from '@market-state/errors';
import { limitsOf } from '@market-state/pricing';
import type { StoredPacket } from '../packets/packet';
import { DAY_MS, isShared, type Share, SHAREABLE_AFTER_MS, type ShareStore } from './share';
import { newShareId } from './share-id';

export interface CreateShareDeps {
  readonly shares: Pick<ShareStore, 'create'>;
  /** Whether packets of live venues may be shared. */
  readonly sharesLive: boolean;
  readonly clock: () => number;
}

export interface ShareAsked {
  readonly tenantId: string;
  readonly planId: string;
  readonly operationId: string;
  readonly packet: StoredPacket;
  readonly days: number;
}

/**
 * Shows a packet for so many days.
 * @throws ServiceError `live_sharing_off`, `packet_too_young`, `too_many_shares`
 */
export async function createShare({ shares, sharesLive, clock }: CreateShareDeps, asked: ShareAsked): Promise<Share> {
  const { tenantId, planId, operationId, packet, days } = asked;
  if (!isShared(packet.sourceKind, sharesLive))
    throw failedPrecondition('live_sharing_off', 'This installation does not share packets of live venues.');
  const nowMs = clock();
  const shareableMs = packet.knownTsMs + SHAREABLE_AFTER_MS;
  if (nowMs < shareableMs)
    throw failedPrecondition(
      'packet_too_young',
      `The packet can be shared from ${new Date(shareableMs).toISOString()} on, 600 s after it became known.`,
      { metadata: { shareable_ms: String(shareableMs) } },
    );
  const { activeShares: activeMax } = limitsOf(planId);
  const order = { shareId: newShareId(), tenantId, operationId, createdMs: nowMs, expiresMs: nowMs + days * DAY_MS, packet, activeMax };
  const share = await shares.create(order);
  if (share !== null) return share;
  throw resourceExhausted('too_many_shares', `The plan allows ${activeMax} active shares, and all are in use: revoke one first.`, {
    metadata: { limit: String(activeMax) },
  });
}
