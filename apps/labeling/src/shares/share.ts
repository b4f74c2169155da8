import type { SourceKind } from '@market-state/market-data';
import type { StoredPacket } from '../packets/packet';
import type { SigningKey } from '../signing/signing-key';

/** From when on a packet can be shared: the delay of everything that is shown without a key, milliseconds. */
export const SHAREABLE_AFTER_MS = 600_000;

export const DAYS_MAX = 90;
export const DAY_MS = 86_400_000;

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
export function isShared(sourceKind: SourceKind, liveIsShared: boolean): boolean {
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
