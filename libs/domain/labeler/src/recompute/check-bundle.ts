import type { HexDigest } from '../lineage/digests';
import type { SigningKey } from '../packet-row/signing-key';
import { type FileIndex, indexFiles, type LineFile } from '../verify/file-index';
import { fileSource } from '../verify/file-source';
import { verdictOf, type Rederivation } from '../verify/rederive';
import type { RetainedPacket } from '../verify/retained';
import { unusable } from '../verify/symbol-source';
import { type Verification, verifySymbol } from '../verify/verify-symbol';
import { policyDigestOf, policyOfFiles } from './policy-of-files';
import type { FieldDifference } from '../verify/compare-packet';

/** How one of the three checks went. */
interface Check {
  readonly outcome: 'holds' | 'broken' | 'not_checked';
  /** Packets that it holds for. */
  readonly packetTotal: number;
}

/** What a bundle was found to be. */
export interface BundleCheck {
  /** Whether all three checks hold. */
  readonly holds: boolean;
  /** SHA-256 of each packet's RFC 8785 form is the digest on its row. */
  readonly body: Check;
  /** Each digest is signed by one of the keys. */
  readonly maker: Check;
  /** The entries, from the checkpoint or the log's first one on, give every packet byte for byte, each linked to the one before it. */
  readonly derivation: Check;
  /** The packet asked for. */
  readonly packet: Pick<RetainedPacket, 'symbol' | 'windowEndMs' | 'packetId' | 'eventId' | 'packetDigest'>;
  /** Of the files given. */
  readonly policyDigest: HexDigest;
  readonly packetTotal: number;
  readonly entryTotal: number;
  /** T of the checkpoint that derivation began at, milliseconds since the epoch; null: it began at the log's first entry. */
  readonly checkpointMs: number | null;
  readonly firstDifference: Difference | null;
}

/** What is checked, and by what. */
export interface BundleInput {
  /** Keys, a checkpoint or the log's first entries, entries, packets of one symbol, as `market-state dump` writes them. */
  readonly bundle: LineFile;
  /** The policy's files by name, without `.json`, as they are published. */
  readonly policyFiles: object;
  /** The published keys by id; null: those of the bundle, which say only that one maker signed all of it. */
  readonly keys: ReadonlyMap<string, SigningKey> | null;
  /** The packet asked for; without it, the last of the bundle. */
  readonly eventId?: string | undefined;
  /** Told after each batch of lines: entries applied, and T of the newest window that closed. */
  readonly onProgress?: (entryTotal: number, windowEndMs: number | null) => void;
}

/** The first thing that is not as it should be. */
interface Difference {
  readonly in: 'policy' | 'checkpoint' | 'entries' | 'packet' | 'signature';
  /** T of the packet or checkpoint, milliseconds since the epoch; null where it is of none. */
  readonly windowEndMs: number | null;
  readonly packetId: string | null;
  /** A field of the row, or a JSON pointer (RFC 6901) into the packet's body. */
  readonly path: string;
  /** What was computed here; null: there is nothing. */
  readonly ours: unknown;
  /** What the bundle says; null: it has nothing. */
  readonly theirs: unknown;
  /** Digests of a packet that was made again with another body: computed here, and on its row. */
  readonly packetDigests?: { readonly ours: string; readonly theirs: string };
}

/**
 * Reads a bundle and checks it without asking anyone: the policy's digest first, then body, maker and derivation of every packet.
 * @throws SourceError when it is no bundle of one symbol with the packet in it; a difference is a result
 */
export async function checkBundle(input: BundleInput): Promise<BundleCheck> {
  const index = await indexFiles([input.bundle], () => undefined);
  const { symbol, packets } = packetsOf(index);
  const packet = input.eventId === undefined ? packets.at(-1) : packets.find(({ eventId }) => eventId === input.eventId);
  if (packet === undefined) throw unusable(`the bundle has no packet ${input.eventId ?? ''}`);
  const policyDigest = policyDigestOf(input.policyFiles);
  const body = bodyCheck(packets);
  const base = { body, packet: identityOf(packet), policyDigest, packetTotal: packets.length };
  if (policyDigest !== packet.policyDigest) return { ...base, ...otherPolicy(packet, policyDigest) };

  const policy = policyOfFiles(input.policyFiles);
  const keys = input.keys ?? (index.keys.size === 0 ? null : index.keys);
  const source = fileSource(index, symbol, {});
  const verification = await verifySymbol(source, { policy, keys, onProgress: input.onProgress ?? (() => undefined) });
  const maker = makerCheck(verification, packets.length);
  const derivation = derivationCheck(verification, packets.length);
  return {
    ...base,
    holds: [body, maker, derivation].every(({ outcome }) => outcome === 'holds'),
    maker,
    derivation,
    entryTotal: verification.result?.entries.total ?? 0,
    checkpointMs: verification.start?.window_end_ms ?? null,
    firstDifference: firstDifference(verification, policyDigest, packets),
  };
}

/** What differs first; null where nothing does. */
function firstDifference(
  { start, brokenStart, result }: Verification,
  policyDigest: string,
  packets: readonly RetainedPacket[],
): Difference | null {
  const at = { windowEndMs: null, packetId: null };
  if (result === null)
    return { ...at, in: 'checkpoint', windowEndMs: start?.window_end_ms ?? null, path: 'state', ours: null, theirs: brokenStart };
  const other = packets.find((packet) => packet.policyDigest !== policyDigest);
  if (other !== undefined)
    return { in: 'packet', ...placeOf(other), path: 'policy_digest', ours: policyDigest, theirs: other.policyDigest };
  return packetDifference(result) ?? checkpointDifference(result) ?? entriesDifference(result) ?? signatureDifference(result, packets);
}

function packetDifference({ packets: { first } }: Rederivation): Difference | null {
  if (first === null) return null;
  const at = { in: 'packet', ...placeOf(first) } as const;
  switch (first.kind) {
    case 'missing':
      return { ...at, path: 'packet_id', ours: first.packetId, theirs: null };
    case 'extra':
      return { ...at, path: 'packet_id', ours: null, theirs: first.packetId };
    case 'different': {
      const [place] = first.body.first;
      const packetDigests = packetDigestsOf(first.fields);
      if (place !== undefined)
        return { ...at, ...packetDigests, path: place.path, ours: place.rederived ?? null, theirs: place.retained ?? null };
      const [field] = first.fields;
      return { ...at, path: field?.field ?? '', ours: field?.rederived ?? null, theirs: field?.retained ?? null };
    }
  }
}

function packetDigestsOf(fields: readonly FieldDifference[]): Pick<Difference, 'packetDigests'> {
  const digest = fields.find(({ field }) => field === 'packet_digest');
  return digest === undefined ? {} : { packetDigests: { ours: String(digest.rederived), theirs: String(digest.retained) } };
}

function checkpointDifference({ checkpoints: { different } }: Rederivation): Difference | null {
  const [first] = different;
  if (first === undefined) return null;
  const [field] = first.fields;
  const values = { path: field?.field ?? 'ordinal', ours: field?.rederived ?? null, theirs: field?.retained ?? first.ordinal };
  return { in: 'checkpoint', windowEndMs: first.windowEndMs, packetId: null, ...values };
}

function entriesDifference({ entries, packets }: Rederivation): Difference | null {
  const at = { in: 'entries', windowEndMs: null, packetId: null, path: 'ordinal' } as const;
  const hole = entries.holes.find(({ newEpoch }) => !newEpoch);
  if (hole !== undefined) return { ...at, ours: hole.firstOrdinal, theirs: null };
  const isShort = packets.awaiting > 0 || packets.beforeEntries > 0;
  return isShort ? { ...at, ours: null, theirs: packets.awaiting > 0 ? entries.lastOrdinal : entries.firstOrdinal } : null;
}

function signatureDifference({ signatures }: Rederivation, packets: readonly RetainedPacket[]): Difference | null {
  const at = packets.find(({ windowEndMs }) => windowEndMs === signatures?.firstFaultMs);
  const unsigned = signatures !== null && signatures.unsigned > 0 ? packets.find(({ signature }) => signature === null) : undefined;
  const first = at ?? unsigned;
  return first === undefined ? null : { in: 'signature', ...placeOf(first), path: 'signature', ours: null, theirs: first.signature };
}

function placeOf({ windowEndMs, packetId }: { readonly windowEndMs: number; readonly packetId: string }) {
  return { windowEndMs, packetId };
}

/** @throws SourceError when the lines are of several symbols, or of no packet */
function packetsOf(index: FileIndex): { readonly symbol: string; readonly packets: readonly RetainedPacket[] } {
  const symbols = new Set([...index.packets.keys(), ...index.rowFiles.keys(), ...index.checkpoints.keys()]);
  const [entry] = index.packets;
  if (entry === undefined) throw unusable('the bundle has no packet');
  if (symbols.size > 1) throw unusable(`the bundle has lines of several symbols: ${[...symbols].join(', ')}`);
  return { symbol: entry[0], packets: entry[1] };
}

function bodyCheck(packets: readonly RetainedPacket[]): Check {
  const held = packets.filter(({ bodyDigest, packetDigest }) => bodyDigest === packetDigest).length;
  return { outcome: held === packets.length ? 'holds' : 'broken', packetTotal: held };
}

function makerCheck({ result }: Verification, packetTotal: number): Check {
  const valid = result?.signatures?.valid ?? 0;
  if (result === null || result.signatures === null || result.signatures.unsigned === packetTotal)
    return { outcome: 'not_checked', packetTotal: 0 };
  return { outcome: valid === packetTotal ? 'holds' : 'broken', packetTotal: valid };
}

function derivationCheck({ result, otherChainUntilMs }: Verification, packetTotal: number): Check {
  if (result === null) return { outcome: 'broken', packetTotal: 0 };
  const verdict = verdictOf({ ...result, signatures: null }, { mustBeSigned: false, awaitingMax: 0 });
  const isWhole = verdict === 'equal' && otherChainUntilMs === null && result.packets.equal === packetTotal;
  return { outcome: isWhole ? 'holds' : 'broken', packetTotal: result.packets.equal };
}

/** What is found where the policy that was given is not the packets' own: nothing is derived. */
function otherPolicy({ windowEndMs, packetId, policyDigest: theirs }: RetainedPacket, ours: HexDigest) {
  const firstDifference: Difference = { in: 'policy', windowEndMs, packetId, path: 'policy_digest', ours, theirs };
  const notChecked: Check = { outcome: 'not_checked', packetTotal: 0 };
  const broken: Check = { outcome: 'broken', packetTotal: 0 };
  return { holds: false, maker: notChecked, derivation: broken, entryTotal: 0, checkpointMs: null, firstDifference };
}

function identityOf({ symbol, windowEndMs, packetId, eventId, packetDigest }: RetainedPacket): BundleCheck['packet'] {
  return { symbol, windowEndMs, packetId, eventId, packetDigest };
}
