import { labeling, marketData } from '@market-state/contracts';
import { notFound, type ServiceError } from '@market-state/errors';
import type { SourceKind } from '@market-state/market-data';
import type { CheckpointHeader } from '../labeling/label-store';
import type { EventRecord, ArchiveTotals, FeedbackTotals } from '../events/event-index';
import type { StoredPacket } from '../packets/packet';
import type { Share, ShareStatus } from '../share';
import type { SigningKey } from '../packets/packet-signer';
import type { Comparison } from '../verify/verification';

const SOURCE_KIND_TO_PROTO = {
  live: marketData.SourceKind.LIVE,
  recorded: marketData.SourceKind.RECORDED,
  simulated: marketData.SourceKind.SIMULATED,
} as const satisfies Record<SourceKind, marketData.SourceKind>;

export function toProtoPacket(packet: StoredPacket): labeling.PacketRecord {
  return {
    symbol: packet.symbol,
    windowEndMs: packet.windowEndMs,
    sequence: packet.sequence,
    packetId: packet.packetId,
    eventId: packet.eventId,
    body: Buffer.from(packet.body, 'utf8'),
    packetDigest: packet.packetDigest,
    lineageDigest: packet.lineageDigest,
    inputDigest: packet.inputDigest,
    policyDigest: packet.policyDigest,
    generatedTsMs: packet.generatedTsMs,
    sourceLagMs: packet.sourceLagMs,
    headline: packet.headline,
    customerNextStep: packet.customerNextStep,
    sourceKind: SOURCE_KIND_TO_PROTO[packet.sourceKind],
    signature: Buffer.from(packet.signature?.bytes ?? []),
    signingKeyId: packet.signature?.keyId ?? '',
    closingEpoch: packet.closing?.epoch ?? 0,
    closingOrdinal: packet.closing?.ordinal ?? 0,
    knownTsMs: packet.knownTsMs,
  };
}

export function toProtoCheckpoint(checkpoint: CheckpointHeader): labeling.CheckpointHeader {
  const { symbol, windowEndMs, epoch, ordinal, lineageDigest, policyDigest, stateDigest } = checkpoint;
  return { symbol, windowEndMs, epoch, ordinal, lineageDigest, policyDigest, stateDigest };
}

export function toProtoSigningKey({ keyId, publicKey, validFromMs, validToMs }: SigningKey): labeling.SigningKey {
  return { keyId, publicKey: Buffer.from(publicKey), validFromMs, validToMs: validToMs ?? 0 };
}

export function toProtoEvent({ gapFlags, tags, sourceKind, ...event }: EventRecord): labeling.EventRecord {
  return { ...event, gapFlags: [...gapFlags], tags: [...tags], sourceKind: SOURCE_KIND_TO_PROTO[sourceKind] };
}

export function toProtoFeedback({ useful, partial, missing_context: missingContext, noise }: FeedbackTotals): labeling.FeedbackTotals {
  return { useful, partial, missingContext, noise };
}

export function toProtoArchive({ hourTotal, rowTotal, byteTotal, hotFromMs }: ArchiveTotals): labeling.GetPacketArchiveResponse {
  return { hourTotal, packetTotal: rowTotal, byteTotal, hotFromWindowEndMs: hotFromMs };
}

const STANDING_TO_PROTO = {
  active: labeling.Share_Standing.ACTIVE,
  expired: labeling.Share_Standing.EXPIRED,
  revoked: labeling.Share_Standing.REVOKED,
  withheld: labeling.Share_Standing.WITHHELD,
} as const satisfies Record<ShareStatus, labeling.Share_Standing>;

export function toProtoShare({ tenantId: _tenantId, signature, ...share }: Share, standing: ShareStatus): labeling.Share {
  return {
    ...share,
    standing: STANDING_TO_PROTO[standing],
    revokedMs: share.revokedMs ?? 0,
    sourceKind: SOURCE_KIND_TO_PROTO[share.sourceKind],
    signature: Buffer.from(signature?.bytes ?? []),
    signingKey: signature === null ? undefined : toProtoSigningKey(signature.key),
  };
}

const OUTCOME_TO_PROTO = {
  match: labeling.VerifyEventResponse_Outcome.MATCH,
  mismatch: labeling.VerifyEventResponse_Outcome.MISMATCH,
  cannot: labeling.VerifyEventResponse_Outcome.CANNOT,
} as const satisfies Record<Comparison['outcome'], labeling.VerifyEventResponse_Outcome>;

export function toProtoOutcome(comparison: Comparison): Pick<labeling.VerifyEventResponse, 'outcome' | 'reason'> {
  return { outcome: OUTCOME_TO_PROTO[comparison.outcome], reason: comparison.outcome === 'cannot' ? comparison.reason : '' };
}

export function unknownShare(): ServiceError {
  return notFound('unknown_share', 'There is no share with this id.');
}
