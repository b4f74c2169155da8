import { labeling, marketData } from '@market-state/contracts';
import { failedPrecondition, notFound, resourceExhausted } from '@market-state/errors';
import type { Packet } from '@market-state/labeler';
import { packetRecord } from './packet-record';

const { Share_Standing: Standing } = labeling;
const DAY_MS = 86_400_000;
const YOUNG_MS = 600_000;
/** Active shares per tenant. */
const ACTIVE_MAX = 50;

/** Old packets in addition to those a test stores: from a recording and a live venue. */
const OLD = packetRecord('BTCUSD-PERP', 1_700_000_000_000);
const OLD_LIVE = packetRecord('BTCUSD-PERP', 1_700_000_010_000, { sourceKind: marketData.SourceKind.LIVE });
export const OLD_EVENT = OLD.eventId;
export const OLD_LIVE_EVENT = OLD_LIVE.eventId;

/** Shares of the tenant `ten_1`, present from the start. */
export const KEPT_SHARE = `shr_${'k'.repeat(26)}`;
export const SPARE_SHARE = `shr_${'s'.repeat(26)}`;

interface StoredShare {
  readonly share: labeling.Share;
  readonly tenantId: string;
  readonly body: Buffer;
}

/** Shares of the stand-in labeling. */
export interface StandInShares {
  /** Moves a share's expiry into the past. */
  expire(shareId: string): void;
  /** Allows sharing of live packets; initially off. */
  setLive(isShared: boolean): void;
}

/** Share calls over the packets of `packetOf`. */
export function standInShares(
  packetOf: (eventId: string) => labeling.PacketRecord,
  keyOf: (keyId: string) => labeling.SigningKey | undefined,
) {
  const held = new Map<string, StoredShare>();
  const byOperation = new Map<string, string>();
  let liveIsShared = false;
  const withStatus = ({ share }: StoredShare): labeling.Share => ({ ...share, standing: standing(share) });

  function standing({ revokedMs, expiresMs, sourceKind }: labeling.Share): labeling.Share_Standing {
    if (revokedMs > 0) return Standing.REVOKED;
    if (expiresMs <= Date.now()) return Standing.EXPIRED;
    return sourceKind === marketData.SourceKind.LIVE && !liveIsShared ? Standing.WITHHELD : Standing.ACTIVE;
  }
  function require(shareId: string, tenantId?: string): StoredShare {
    const found = held.get(shareId);
    if (found !== undefined && (tenantId ?? found.tenantId) === found.tenantId) return found;
    throw notFound('unknown_share', 'There is no such share.');
  }
  function hold(shareId: string, tenantId: string, days: number, record: labeling.PacketRecord): labeling.Share {
    const { symbol, windowEndMs, packetId, eventId, packetDigest, lineageDigest, inputDigest, policyDigest, generatedTsMs, sourceKind } =
      record;
    const { state, state_label: stateLabel } = JSON.parse(record.body.toString('utf8')) as Packet;
    const nowMs = Date.now();
    const share: labeling.Share = {
      shareId,
      standing: Standing.ACTIVE,
      createdMs: nowMs,
      expiresMs: nowMs + days * DAY_MS,
      revokedMs: 0,
      symbol,
      windowEndMs,
      packetId,
      eventId,
      packetDigest,
      lineageDigest,
      inputDigest,
      policyDigest,
      generatedTsMs,
      sourceKind,
      signature: record.signature,
      signingKey: keyOf(record.signingKeyId),
      state,
      stateLabel,
    };
    held.set(shareId, { share, tenantId, body: record.body });
    return share;
  }
  for (const shareId of [SPARE_SHARE, KEPT_SHARE]) hold(shareId, 'ten_1', 30, OLD);
  const shares: StandInShares = {
    expire(shareId) {
      const found = require(shareId);
      held.set(shareId, { ...found, share: { ...found.share, expiresMs: Date.now() } });
    },
    setLive(isShared) {
      liveIsShared = isShared;
    },
  };
  const calls = {
    async createShare({ tenantId, operationId, eventId, days }: labeling.CreateShareRequest): Promise<labeling.CreateShareResponse> {
      const earlier = byOperation.get(operationId);
      if (earlier !== undefined) return { share: withStatus(require(earlier)) };
      const record = [OLD, OLD_LIVE].find((packet) => packet.eventId === eventId) ?? packetOf(eventId);
      if (record.sourceKind === marketData.SourceKind.LIVE && !liveIsShared)
        throw failedPrecondition('live_sharing_off', 'This installation does not share packets of live venues.');
      const shareableMs = record.knownTsMs + YOUNG_MS;
      if (Date.now() < shareableMs)
        throw failedPrecondition('packet_too_young', 'The packet cannot be shared yet.', {
          metadata: { shareable_ms: String(shareableMs) },
        });
      const active = [...held.values()].filter((one) => one.tenantId === tenantId && standing(one.share) === Standing.ACTIVE).length;
      if (active >= ACTIVE_MAX) throw resourceExhausted('too_many_shares', 'Too many.', { metadata: { limit: String(ACTIVE_MAX) } });
      const shareId = `shr_${String(held.size).padStart(26, '0')}`;
      const share = hold(shareId, tenantId, days, record);
      byOperation.set(operationId, shareId);
      return { share };
    },
    async listShares({ tenantId, pageSize, pageToken }: labeling.ListSharesRequest): Promise<labeling.ListSharesResponse> {
      const own = [...held.values()].filter((one) => one.tenantId === tenantId).reverse();
      const from = pageToken === '' ? 0 : Number(JSON.parse(Buffer.from(pageToken, 'base64url').toString('utf8'))[0]);
      const to = from + (pageSize === 0 ? 100 : pageSize);
      const nextPageToken = to < own.length ? Buffer.from(JSON.stringify([String(to)])).toString('base64url') : '';
      return { shares: own.slice(from, to).map(withStatus), nextPageToken };
    },
    async revokeShare({ tenantId, shareId }: labeling.RevokeShareRequest): Promise<labeling.RevokeShareResponse> {
      const found = require(shareId, tenantId);
      if (standing(found.share) === Standing.ACTIVE) held.set(shareId, { ...found, share: { ...found.share, revokedMs: Date.now() } });
      return { share: withStatus(require(shareId)) };
    },
    async getShare({ shareId }: labeling.GetShareRequest): Promise<labeling.GetShareResponse> {
      const found = require(shareId);
      const share = withStatus(found);
      return { share, tenantId: found.tenantId, body: share.standing === Standing.ACTIVE ? found.body : Buffer.alloc(0) };
    },
  };
  return { shares, calls };
}
