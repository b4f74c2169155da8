import { deadlineExceeded, unavailable, isServiceError } from '@market-state/errors';
import {
  type SignatureOutcome,
  createState,
  type LabelerState,
  type Policy,
  rederive,
  type Rederivation,
  type RetainedPacket,
  sha256Hex,
  signatureOutcome,
  type SigningKey,
  signingKeyOf,
  StateRestoreError,
  stateOfKeptCheckpoint,
} from '@market-state/labeler';
import { createConcurrencyLimit, timeLimit } from '@market-state/lifecycle';
import { WINDOW_MS } from '@market-state/market-data';
import { type CheckpointHeader, newestCheckpointBefore, type CheckpointReader } from '../labeling/label-store';
import type { StoredPacket } from '../packets/packet';
import type { SigningKeyStore } from '../packets/packet-signer';
import { type LogClient, type ReadEntries, readEntries } from '../labeling/recorded-entries';

export type CannotReason =
  /** Entries after the checkpoint have been deleted. */
  | 'rows_gone'
  /** Entries are missing in the middle of the retained ones. */
  | 'rows_incomplete'
  /** The entry that closed its window is not stored yet. */
  | 'rows_awaited'
  /** There is no earlier checkpoint, and the log does not reach back to its first entry. */
  | 'checkpoint_gone'
  | 'checkpoint_unusable'
  | 'other_policy';

export type Comparison =
  | { readonly outcome: 'match' }
  | {
      readonly outcome: 'mismatch';
      readonly rederived: { readonly digest: string; readonly lineageDigest: string } | null;
      readonly fields: readonly string[];
      readonly places: readonly string[];
      readonly placeTotal: number;
    }
  | { readonly outcome: 'cannot'; readonly reason: CannotReason };

export interface Verification {
  readonly comparison: Comparison;
  readonly retainedDigest: string;
  readonly policyDigest: string;
  readonly entryTotal: number;
  /** Null if recomputation started at the log's first entry, or never started. */
  readonly checkpoint: CheckpointHeader | null;
  readonly signature: SignatureOutcome;
  readonly contradictingOrdinals: readonly number[];
}

/** Each competes with labeling in this process. */
const RUNNING_MAX = 2;
const WAITING = {
  waitingMax: 16,
  waitMsMax: 5_000,
  refusal: () => unavailable('overloaded', 'Too many packets are being verified; try again in a few seconds.'),
};

const DEADLINE_MS = 20_000;

export type Verify = (packet: StoredPacket, signal: AbortSignal) => Promise<Verification>;

/**
 * Limits concurrency and duration of verifications, which wait for each other.
 * @throws ServiceError UNAVAILABLE with reason `overloaded` if too many wait or one waits too long, DEADLINE_EXCEEDED on
 * timeout
 */
export function shareVerifications(verify: Verify): Verify {
  const limit = createConcurrencyLimit(RUNNING_MAX, WAITING);
  return async (packet, callSignal) => {
    const deadline = timeLimit(DEADLINE_MS);
    const signal = AbortSignal.any([callSignal, deadline]);
    try {
      return await limit(() => {
        signal.throwIfAborted();
        return verify(packet, signal);
      });
    } catch (error) {
      if (deadline.aborted)
        throw deadlineExceeded('deadline_exceeded', `The packet could not be recomputed within ${DEADLINE_MS / 1_000} s.`, {
          cause: error,
        });
      throw error;
    }
  };
}

interface VerifyDeps {
  readonly checkpoints: CheckpointReader;
  readonly signingKeys: Pick<SigningKeyStore, 'list'>;
  readonly policy: Policy;
  readonly logEntries: LogClient;
}

/** Rejects if a store or the data plane fails. */
export async function verifyPacket(deps: VerifyDeps, packet: StoredPacket, signal: AbortSignal): Promise<Verification> {
  const retained = toRetained(packet);
  const met: ReadEntries = { entryTotal: 0, contradictingOrdinals: [] };
  const [signingKeys, { comparison, checkpoint }] = await Promise.all([
    deps.signingKeys.list(),
    compare(deps, packet, retained, met, signal),
  ]);
  const keys = new Map(signingKeys.map(({ keyId, publicKey }): [string, SigningKey] => [keyId, signingKeyOf(publicKey)]));
  return {
    comparison,
    checkpoint,
    retainedDigest: retained.bodyDigest,
    policyDigest: deps.policy.digest,
    entryTotal: met.entryTotal,
    signature: await signatureOutcome(retained, keys),
    contradictingOrdinals: met.contradictingOrdinals,
  };
}

interface Compared {
  readonly comparison: Comparison;
  readonly checkpoint: CheckpointHeader | null;
}

async function compare(
  deps: VerifyDeps,
  packet: StoredPacket,
  retained: RetainedPacket,
  met: ReadEntries,
  signal: AbortSignal,
): Promise<Compared> {
  const { symbol, windowEndMs } = packet;
  if (packet.policyDigest !== deps.policy.digest) return cannot('other_policy', null);
  const checkpoint = await newestCheckpointBefore(deps.checkpoints, packet);
  const state = await stateAt(deps, symbol, checkpoint);
  if (state === undefined) return cannot('checkpoint_unusable', checkpoint);
  try {
    const result = await rederive({
      state,
      entries: readEntries(
        deps.logEntries,
        { symbol, afterOrdinal: state.log.ordinal, toOrdinal: packet.closing?.ordinal ?? 0 },
        met,
        signal,
      ),
      packets: one(retained),
      newestRetainedMs: windowEndMs,
      checkpoints: [],
      fromMs: windowEndMs,
      toMs: windowEndMs + WINDOW_MS,
      keys: null,
    });
    return { comparison: comparisonOf(result, packet), checkpoint };
  } catch (error) {
    const reason = isServiceError(error) ? ROWS_LACKING[error.reason] : undefined;
    if (reason === undefined) throw error;
    return cannot(reason === 'rows_gone' && checkpoint === null ? 'checkpoint_gone' : reason, checkpoint);
  }
}

const ROWS_LACKING: Readonly<Record<string, CannotReason>> = { log_not_retained: 'rows_gone', log_incomplete: 'rows_incomplete' };

function cannot(reason: CannotReason, checkpoint: CheckpointHeader | null): Compared {
  return { comparison: { outcome: 'cannot', reason }, checkpoint };
}

/** Labeler state at a checkpoint, or at the log's first entry; undefined if the checkpoint is unusable. */
async function stateAt(
  { checkpoints, policy }: VerifyDeps,
  symbol: string,
  header: CheckpointHeader | null,
): Promise<LabelerState | undefined> {
  if (header === null) return createState(symbol, policy);
  const kept = await checkpoints.find(symbol, header.windowEndMs);
  if (kept === undefined) return undefined;
  const { windowEndMs, epoch, ordinal, lineageDigest, policyDigest, stateDigest } = header;
  const line = {
    symbol,
    window_end_ms: windowEndMs,
    epoch,
    ordinal,
    lineage_digest: lineageDigest,
    policy_digest: policyDigest,
    state_digest: stateDigest,
  };
  try {
    const state = await stateOfKeptCheckpoint(line, kept.stateGzip, policy);
    return typeof state === 'string' ? undefined : state;
  } catch (error) {
    if (error instanceof StateRestoreError) return undefined;
    throw error;
  }
}

function comparisonOf({ packets, entries }: Rederivation, packet: StoredPacket): Comparison {
  if (entries.holes.some(({ newEpoch }) => !newEpoch)) return { outcome: 'cannot', reason: 'rows_incomplete' };
  if (packets.equal === 1) return { outcome: 'match' };
  if (packets.beforeEntries > 0) return { outcome: 'cannot', reason: 'checkpoint_gone' };
  const { first } = packets;
  if (first === null) return { outcome: 'cannot', reason: 'rows_awaited' };
  if (first.kind !== 'different') return { outcome: 'mismatch', rederived: null, fields: [], places: [], placeTotal: 0 };
  const made = (field: string): string | undefined => first.fields.find((difference) => difference.field === field)?.rederived.toString();
  return {
    outcome: 'mismatch',
    rederived: {
      digest: made('packet_digest') ?? made('body_digest') ?? packet.packetDigest,
      lineageDigest: made('lineage_digest') ?? packet.lineageDigest,
    },
    fields: first.fields.map(({ field }) => field),
    places: first.body.first.map(({ path }) => path),
    placeTotal: first.body.total,
  };
}

function toRetained(packet: StoredPacket): RetainedPacket {
  const {
    symbol,
    windowEndMs,
    packetId,
    eventId,
    inputDigest,
    policyDigest,
    packetDigest,
    lineageDigest,
    sourceKind,
    closing,
    headline,
    customerNextStep,
    signature,
    body,
  } = packet;
  return {
    symbol,
    windowEndMs,
    packetId,
    eventId,
    inputDigest,
    policyDigest,
    previousLineageDigest: null,
    packetDigest,
    lineageDigest,
    sourceKind,
    closingOrdinal: closing?.ordinal ?? null,
    headline,
    customerNextStep,
    signature: signature === null ? null : Buffer.from(signature.bytes).toString('base64'),
    signingKeyId: signature?.keyId ?? null,
    bodyDigest: sha256Hex(body),
    readBody: () => Promise.resolve(body),
  };
}

async function* one<T>(item: T): AsyncGenerator<T> {
  yield item;
}
