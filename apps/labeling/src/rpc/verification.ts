import { labeling } from '@market-state/contracts';
import type { SignatureOutcome } from '@market-state/labeler';
import { instantFaults, refuseFaults } from '@market-state/request-checks';
import type { SigningKeyStore } from '../signing/packet-signer';
import { toProtoSigningKey, toProtoOutcome, toProtoCheckpoint, toProtoPacket } from './wire';
import type { SelfChecks } from '../verify/self-check';
import { givenOrNull } from './span-request';
import type { PacketReader } from '../packets/packet-reader';
import type { Verify } from '../verify/verification';
import { requirePacket } from './packets';

const { VerifyEventResponse_Signature: Signature } = labeling;

const SIGNATURES: Readonly<Record<SignatureOutcome, labeling.VerifyEventResponse_Signature>> = {
  valid: Signature.VALID,
  invalid: Signature.INVALID,
  unknownKey: Signature.UNKNOWN_KEY,
  unsigned: Signature.UNSIGNED,
};

interface VerifyEventDeps {
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

interface ListSelfChecksDeps {
  readonly selfChecks: Pick<SelfChecks, 'list'>;
}

export async function listSelfChecks(
  { selfChecks }: ListSelfChecksDeps,
  { asOfMs }: labeling.ListSelfChecksRequest,
): Promise<labeling.ListSelfChecksResponse> {
  refuseFaults(instantFaults('as_of_ms', asOfMs));
  return {
    selfChecks: selfChecks.list(givenOrNull(asOfMs)).map(({ comparison, ...check }) => ({ ...check, ...toProtoOutcome(comparison) })),
  };
}

interface ListSigningKeysDeps {
  readonly signingKeys: Pick<SigningKeyStore, 'list'>;
}

export async function listSigningKeys({ signingKeys }: ListSigningKeysDeps): Promise<labeling.ListSigningKeysResponse> {
  return { keys: (await signingKeys.list()).map(toProtoSigningKey) };
}
