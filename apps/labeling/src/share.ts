import { randomBytes } from 'node:crypto';
import { failedPrecondition, resourceExhausted } from '@market-state/errors';
import type { SourceKind } from '@market-state/market-data';
import { limitsOf } from '@market-state/pricing';
import type { StoredPacket } from './packets/packet';
import type { SigningKey } from './signing/packet-signer';

/** From when on a packet can be shared: the delay of everything that is shown without a key, milliseconds. */
const SHAREABLE_AFTER_MS = 600_000;

export const DAYS_MAX = 90;
const DAY_MS = 86_400_000;

/** How long the proof line of a share is kept after its end, milliseconds: a year. */
export const PROOF_KEPT_MS = 365 * DAY_MS;

/** What of a packet stays with a share when its time is over. */
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

/** A packet that a tenant shows to whoever has the link, for a time. Instants are milliseconds since the epoch, wall clock. */
export interface Share extends Proof {
  readonly shareId: string;
  readonly tenantId: string;
  readonly createdMs: number;
  readonly expiresMs: number;
  /** Null: it was not revoked. */
  readonly revokedMs: number | null;
  /** Null where packets are not signed. */
  readonly signature: { readonly bytes: Uint8Array; readonly key: SigningKey } | null;
  readonly state: string;
  readonly stateLabel: string;
}

/** A share that is ordered. */
export interface ShareOrder {
  readonly shareId: string;
  readonly tenantId: string;
  readonly operationId: string;
  readonly createdMs: number;
  readonly expiresMs: number;
  readonly packet: StoredPacket;
  /** Shares of the tenant that may be active at once, this one among them. */
  readonly activeMax: number;
}

/** Whether the packet of a share is shown; `withheld`: this installation does not share such packets now. */
export type ShareStanding = 'active' | 'expired' | 'revoked' | 'withheld';

/** The standing at an instant. A share that was revoked stays so when its time is over. */
export function standingOf(
  share: Pick<Share, 'expiresMs' | 'revokedMs' | 'sourceKind'>,
  nowMs: number,
  liveIsShared: boolean,
): ShareStanding {
  if (share.revokedMs !== null) return 'revoked';
  if (nowMs >= share.expiresMs) return 'expired';
  return isShared(share.sourceKind, liveIsShared) ? 'active' : 'withheld';
}

/** Whether packets of such a source can be shared. */
function isShared(sourceKind: SourceKind, liveIsShared: boolean): boolean {
  return sourceKind !== 'live' || liveIsShared;
}

/** The place of a share in the list of its tenant. */
export type SharePlace = Pick<Share, 'createdMs' | 'shareId'>;

export interface ShareStore {
  /** Makes the share, or gives the one that the operation made before; null when the tenant has as many active ones as it may. */
  create(order: ShareOrder): Promise<Share | null>;
  /** Shares of a tenant after a place, newest first, at most `count`. */
  list(tenantId: string, after: SharePlace | null, count: number): Promise<Share[]>;
  /** Ends a share of the tenant, unless it has ended; undefined when the tenant has no such share. */
  revoke(tenantId: string, shareId: string, nowMs: number): Promise<Share | undefined>;
  /** A share and the body of its packet, null once it has ended. Undefined when there is no such share. */
  find(shareId: string): Promise<{ readonly share: Share; readonly body: string | null } | undefined>;
  /** Deletes packets of shares that have ended, and shares that ended long ago. */
  sweep(nowMs: number): Promise<void>;
}

export interface CreateShareDeps {
  readonly shares: Pick<ShareStore, 'create'>;
  /** Whether packets of live venues may be shared. */
  readonly sharesLive: boolean;
  readonly clock: () => number;
}

interface ShareAsked {
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

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 26;
const SHARE_ID = new RegExp(`^shr_[${LETTERS}]{${LENGTH}}$`);

/** A new id of 130 random bits: whoever does not have the link cannot find the share. */
function newShareId(): string {
  return `shr_${Array.from(randomBytes(LENGTH), (byte) => LETTERS[byte & 31]).join('')}`;
}

export function isShareId(text: string): boolean {
  return SHARE_ID.test(text);
}
