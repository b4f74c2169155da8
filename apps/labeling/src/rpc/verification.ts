import { labeling } from '@market-state/contracts';
import type { SignatureOutcome } from '@market-state/labeler';
import { instantFaults, refuseFaults, symbolFaults } from '@market-state/request-checks';
import { type Fault, invalidArgument, notFound } from '@market-state/errors';
import { WINDOW_MS } from '@market-state/market-data';
import { cutPage } from '@market-state/page-token';
import type { SigningKeyStore } from '../packets/packet-signer';
import { toProtoSigningKey, toProtoOutcome, toProtoCheckpoint, toProtoPacket } from './wire';
import type { SelfChecks } from '../verify/self-check';
import { givenOrNull, readSpanRequest, assertServed, toPageToken } from './span-request';
import { type PacketReader, remaining } from '../packets/packet';
import type { Verify } from '../verify/verification';
import { requirePacket } from './packets';
import type { CheckpointReader } from '../labeling/label-store';

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

interface GetCheckpointDeps {
  readonly checkpoints: Pick<CheckpointReader, 'find'>;
  readonly symbols: readonly string[];
}

export async function getCheckpoint(
  deps: GetCheckpointDeps,
  { symbol, windowEndMs }: labeling.GetCheckpointRequest,
): Promise<labeling.GetCheckpointResponse> {
  const faults = [...symbolFaults(symbol), ...windowFaults(windowEndMs)];
  if (faults.length > 0) throw invalidArgument(faults);
  assertServed([symbol], deps.symbols);
  const checkpoint = await deps.checkpoints.find(symbol, windowEndMs);
  if (checkpoint === undefined) throw notFound('checkpoint_not_found', `${symbol} has no checkpoint at ${windowEndMs}.`);
  return { header: toProtoCheckpoint(checkpoint), stateGzip: Buffer.from(checkpoint.stateGzip) };
}

function windowFaults(windowEndMs: number): Fault[] {
  if (windowEndMs > 0 && windowEndMs % WINDOW_MS === 0) return [];
  return [{ field: 'window_end_ms', message: `must be a positive multiple of ${WINDOW_MS}`, type: 'out_of_range' }];
}

interface ListCheckpointsDeps {
  readonly checkpoints: Pick<CheckpointReader, 'list'>;
  readonly symbols: readonly string[];
}

export async function listCheckpoints(
  deps: ListCheckpointsDeps,
  request: labeling.ListCheckpointsRequest,
): Promise<labeling.ListCheckpointsResponse> {
  const { span, afterMs, pageSize } = readSpanRequest(request, deps.symbols);
  const found = await deps.checkpoints.list(remaining(span, afterMs), pageSize + 1);
  const { page, nextPageToken } = cutPage(found, pageSize, ({ windowEndMs }) => toPageToken(span, windowEndMs));
  return { checkpoints: page.map(toProtoCheckpoint), nextPageToken };
}
