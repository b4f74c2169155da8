import { labeling } from '@market-state/contracts';
import type { SignatureOutcome } from '@market-state/labeler';
import type { PacketReader } from '../packets/packet-reader';
import type { Verify } from '../verify/verify-desk';
import { requirePacket } from './require-packet';
import { toProtoCheckpoint, toProtoOutcome, toProtoPacket } from './wire';

const { VerifyEventResponse_Signature: Signature } = labeling;

const SIGNATURES: Readonly<Record<SignatureOutcome, labeling.VerifyEventResponse_Signature>> = {
  valid: Signature.VALID,
  invalid: Signature.INVALID,
  unknownKey: Signature.UNKNOWN_KEY,
  unsigned: Signature.UNSIGNED,
};

export interface VerifyEventDeps {
  readonly reader: Pick<PacketReader, 'find'>;
  readonly verify: Verify;
}

export async function verifyEvent(
  { reader, verify }: VerifyEventDeps,
  request: labeling.VerifyEventRequest,
  { signal }: { readonly signal: AbortSignal },
): Promise<labeling.VerifyEventResponse> {
  const packet = await requirePacket(reader, request);
  const { comparison, retainedDigest, policyDigest, entryTotal, checkpoint, signature, contradictingOrdinals } = await verify(
    packet,
    signal,
  );
  const mismatch = comparison.outcome === 'mismatch' ? comparison : undefined;
  const isMatch = comparison.outcome === 'match';
  return {
    ...toProtoOutcome(comparison),
    packet: toProtoPacket(packet),
    retainedDigest,
    rederivedDigest: isMatch ? packet.packetDigest : (mismatch?.rederived?.digest ?? ''),
    rederivedLineageDigest: isMatch ? packet.lineageDigest : (mismatch?.rederived?.lineageDigest ?? ''),
    policyDigest,
    entryTotal,
    checkpoint: checkpoint === null ? undefined : toProtoCheckpoint(checkpoint),
    signature: SIGNATURES[signature],
    differentFields: [...(mismatch?.fields ?? [])],
    differentPlaces: [...(mismatch?.places ?? [])],
    differentPlaceTotal: mismatch?.placeTotal ?? 0,
    contradictingOrdinals: [...contradictingOrdinals],
  };
}
