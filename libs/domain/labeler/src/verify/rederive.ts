import type { MarketEvent } from '@market-state/market-data';
import { type HexDigest, sha256Hex } from '../lineage';
import { type SigningKey, isSignedBy } from '../packet-row/lines';
import type { LabelerState } from '../reducer/labeler-state';
import { closedUntil, reduce } from '../reducer/reduce';
import { PacketTally, type PacketCount, type FieldDifference } from './compare-packets';
import type { RetainedCheckpoint, RetainedPacket } from './symbol-source';
import { serializeState } from '../reducer/state-image';

interface CheckpointDifference {
  readonly windowEndMs: number;
  readonly ordinal: number;
  /** Empty if its entry was not among those read. */
  readonly fields: readonly FieldDifference[];
}

interface CheckpointCount {
  readonly equal: number;
  readonly different: readonly CheckpointDifference[];
  /** After entries that were not read. */
  readonly awaiting: number;
}

class CheckpointTally {
  private readonly waiting: RetainedCheckpoint[];
  private equal = 0;
  private readonly different: CheckpointDifference[] = [];

  constructor(checkpoints: readonly RetainedCheckpoint[]) {
    this.waiting = [...checkpoints];
  }

  get done(): boolean {
    return this.waiting.length === 0;
  }

  /** Call before reducing an entry: checkpoints after a skipped entry can no longer match. */
  before({ ordinal }: MarketEvent): void {
    for (let next = this.waiting[0]; next !== undefined && next.ordinal < ordinal; next = this.waiting[0]) {
      this.different.push({ windowEndMs: next.window_end_ms, ordinal: next.ordinal, fields: [] });
      this.waiting.shift();
    }
  }

  after(state: LabelerState): void {
    const next = this.waiting[0];
    if (next === undefined || next.ordinal !== state.log.ordinal) return;
    this.waiting.shift();
    const fields = differencesOf(next, state);
    if (fields.length === 0) this.equal++;
    else this.different.push({ windowEndMs: next.window_end_ms, ordinal: next.ordinal, fields });
  }

  count(): CheckpointCount {
    return { equal: this.equal, different: [...this.different], awaiting: this.waiting.length };
  }
}

function differencesOf(checkpoint: RetainedCheckpoint, state: LabelerState): readonly FieldDifference[] {
  const pairs = [
    ['state_digest', checkpoint.state_digest, sha256Hex(serializeState(state))],
    ['lineage_digest', checkpoint.lineage_digest, state.chain.lineageDigest],
    ['epoch', checkpoint.epoch, state.log.epoch],
  ] as const;
  return pairs.filter(([, kept, made]) => kept !== made).map(([field, retained, rederived]) => ({ field, retained, rederived }));
}

/** Missing entries between two existing ones. Both ordinals are inclusive. */
interface EntryHole {
  readonly firstOrdinal: number;
  readonly lastOrdinal: number;
  /** The log itself was lost there: the next entry has a new epoch. */
  readonly newEpoch: boolean;
}

interface EntryCount {
  readonly total: number;
  readonly firstOrdinal: number | null;
  readonly lastOrdinal: number | null;
  readonly holes: readonly EntryHole[];
  /** Entries at or below an earlier ordinal, which are ignored. */
  readonly repeatedTotal: number;
}

class EntryTally {
  total = 0;
  private firstOrdinal: number | null = null;
  private lastOrdinal: number | null;
  private lastEpoch: number;
  private repeatedTotal = 0;
  private readonly holes: EntryHole[] = [];

  /** @param after last entry before reading; ordinal 0: any entry may be the first */
  constructor(after: { readonly ordinal: number; readonly epoch: number }) {
    this.lastOrdinal = after.ordinal === 0 ? null : after.ordinal;
    this.lastEpoch = after.epoch;
  }

  take({ ordinal, epoch }: MarketEvent): boolean {
    const last = this.lastOrdinal;
    if (last !== null && ordinal <= last) {
      this.repeatedTotal++;
      return false;
    }
    if (last !== null && ordinal > last + 1)
      this.holes.push({ firstOrdinal: last + 1, lastOrdinal: ordinal - 1, newEpoch: epoch !== this.lastEpoch });
    this.total++;
    this.firstOrdinal ??= ordinal;
    this.lastOrdinal = ordinal;
    this.lastEpoch = epoch;
    return true;
  }

  count(): EntryCount {
    const { total, firstOrdinal, holes, repeatedTotal } = this;
    return { total, firstOrdinal, lastOrdinal: total === 0 ? null : this.lastOrdinal, holes: [...holes], repeatedTotal };
  }
}

interface SignatureCount {
  readonly valid: number;
  readonly unknownKey: number;
  readonly invalid: number;
  readonly unsigned: number;
  readonly firstFaultMs: number | null;
}

class SignatureTally {
  private readonly totals = { valid: 0, unknownKey: 0, invalid: 0, unsigned: 0 };
  private firstFaultMs: number | null = null;

  constructor(private readonly keys: ReadonlyMap<string, SigningKey>) {}

  async take(packet: RetainedPacket): Promise<void> {
    const outcome = await signatureOutcome(packet, this.keys);
    this.totals[outcome]++;
    if (outcome === 'invalid' || outcome === 'unknownKey') this.firstFaultMs ??= packet.windowEndMs;
  }

  count(): SignatureCount {
    return { ...this.totals, firstFaultMs: this.firstFaultMs };
  }
}

/** Over the digest on its row. */
export type SignatureOutcome = 'valid' | 'unknownKey' | 'invalid' | 'unsigned';

export async function signatureOutcome(
  { signature, signingKeyId, packetDigest }: Pick<RetainedPacket, 'signature' | 'signingKeyId' | 'packetDigest'>,
  keys: ReadonlyMap<string, SigningKey>,
): Promise<SignatureOutcome> {
  if (signature === null || signingKeyId === null) return signature === signingKeyId ? 'unsigned' : 'invalid';
  const key = keys.get(signingKeyId);
  if (key === undefined) return 'unknownKey';
  return (await isSignedBy(key, packetDigest, signature)) ? 'valid' : 'invalid';
}

export interface RederiveInput {
  /** From `createState` or `stateOfCheckpoint`; modified. */
  readonly state: LabelerState;
  /** Log after the state's last entry, in batches of any size. Read only as far as needed. */
  readonly entries: AsyncIterable<readonly MarketEvent[]>;
  /** In window order. */
  readonly packets: AsyncIterable<RetainedPacket>;
  /** T of the newest retained packet. */
  readonly newestRetainedMs: number;
  /** After the state, of its policy, in log order, up to the one that closes the span. */
  readonly checkpoints: readonly RetainedCheckpoint[];
  /** T of the packets to compare: from inclusive, to exclusive. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Keys by id; null: signatures are not checked. */
  readonly keys: ReadonlyMap<string, SigningKey> | null;
  /** Called after each batch, with T of the newest closed window. */
  readonly onProgress?: (entryTotal: number, windowEndMs: number | null) => void;
}

export interface Rederivation {
  readonly symbol: string;
  readonly policyDigest: HexDigest;
  /** Last entry before the start; 0: the start of the log. */
  readonly afterOrdinal: number;
  readonly entries: EntryCount;
  readonly packets: PacketCount;
  readonly checkpoints: CheckpointCount;
  readonly signatures: SignatureCount | null;
}

/**
 * Re-derives the packets of a span from the log and compares them with the retained ones, and the state with every
 * checkpoint. Rejects only if a source does; a difference is a result.
 */
export async function rederive(input: RederiveInput): Promise<Rederivation> {
  const { state, fromMs, toMs } = input;
  const afterOrdinal = state.log.ordinal;
  const entries = new EntryTally(state.log);
  const checkpoints = new CheckpointTally(input.checkpoints);
  const signatures = input.keys === null ? null : new SignatureTally(input.keys);
  const retained = input.packets[Symbol.asyncIterator]();
  const packets = new PacketTally(retained, async (packet) => signatures?.take(packet), afterOrdinal > 0, input.newestRetainedMs);
  try {
    await packets.start();
    for await (const batch of input.entries) {
      for (const event of batch) {
        if (!entries.take(event)) continue;
        checkpoints.before(event);
        for (const made of reduce(state, event)) {
          if (made.windowEndMs >= fromMs && made.windowEndMs < toMs) await packets.take(made, state.chain);
        }
        checkpoints.after(state);
        if (checkpoints.done && isPast(state, toMs)) break;
      }
      input.onProgress?.(entries.total, closedUntil(state));
      if (checkpoints.done && isPast(state, toMs)) break;
    }
    return {
      symbol: state.symbol,
      policyDigest: state.policy.digest,
      afterOrdinal,
      packets: await packets.finish(),
      entries: entries.count(),
      checkpoints: checkpoints.count(),
      signatures: signatures?.count() ?? null,
    };
  } finally {
    await retained.return?.();
  }
}

interface VerdictTerms {
  readonly mustBeSigned: boolean;
  /** Newest packets that may lack entries; above 0 only while the log is being written. */
  readonly awaitingMax: number;
}

/**
 * `equal`: the whole span was compared and matches. `different`: a mismatch. `incomplete`: part of the span could not
 * be compared.
 */
export function verdictOf(
  { packets, checkpoints, entries, signatures }: Rederivation,
  { mustBeSigned, awaitingMax }: VerdictTerms,
): 'equal' | 'different' | 'incomplete' {
  const broken = entries.holes.some(({ newEpoch }) => !newEpoch);
  const badSignatures = signatures !== null && signatures.invalid + signatures.unknownKey + (mustBeSigned ? signatures.unsigned : 0) > 0;
  if (packets.first !== null || checkpoints.different.length > 0 || broken || badSignatures) return 'different';
  const open = packets.beforeEntries + packets.otherPolicy > 0 || packets.awaiting > awaitingMax;
  return packets.compared === 0 || open ? 'incomplete' : 'equal';
}

function isPast({ log }: LabelerState, toMs: number): boolean {
  return log.nextWindowEndMs !== null && log.nextWindowEndMs >= toMs;
}
