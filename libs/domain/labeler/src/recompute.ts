import type { HexDigest } from './lineage';
import type { SigningKey } from './packet-row/lines';
import { type FileIndex, indexFiles, type LineFile, fileSource } from './verify/file-source';
import { verdictOf, type Rederivation } from './verify/rederive';
import { type RetainedPacket, unusable } from './verify/symbol-source';
import { type Verification, verifySymbol } from './verify/verify-symbol';
import { policyDigestOf, policyOfFiles } from './verify/bundle';
import type { FieldDifference } from './verify/compare-packets';

interface Check {
  readonly outcome: 'holds' | 'broken' | 'not_checked';
  readonly packetTotal: number;
}

export interface BundleCheck {
  readonly holds: boolean;
  /** SHA-256 of each packet's RFC 8785 form matches its row's digest. */
  readonly body: Check;
  /** Each digest is signed by one of the keys. */
  readonly maker: Check;
  /** The entries yield every packet byte for byte, each linked to the previous one. */
  readonly derivation: Check;
  readonly packet: Pick<RetainedPacket, 'symbol' | 'windowEndMs' | 'packetId' | 'eventId' | 'packetDigest'>;
  readonly policyDigest: HexDigest;
  readonly packetTotal: number;
  readonly entryTotal: number;
  /** T of the starting checkpoint; null: the log's first entry. */
  readonly checkpointMs: number | null;
  readonly firstDifference: Difference | null;
}

export interface BundleInput {
  /** Lines of one symbol, as `market-state dump` writes them. */
  readonly bundle: LineFile;
  /** Published policy files by name, without `.json`. */
  readonly policyFiles: object;
  /** Published keys by id; null: the bundle's own, which only prove a single maker. */
  readonly keys: ReadonlyMap<string, SigningKey> | null;
  /** Requested packet; defaults to the bundle's last. */
  readonly eventId?: string | undefined;
  /** Called after each batch with entries applied and T of the newest closed window. */
  readonly onProgress?: (entryTotal: number, windowEndMs: number | null) => void;
}

interface Difference {
  readonly in: 'policy' | 'checkpoint' | 'entries' | 'packet' | 'signature';
  readonly windowEndMs: number | null;
  readonly packetId: string | null;
  /** Row field, or JSON pointer (RFC 6901) into the packet's body. */
  readonly path: string;
  readonly ours: unknown;
  readonly theirs: unknown;
  readonly packetDigests?: { readonly ours: string; readonly theirs: string };
}

/**
 * Checks a bundle offline: the policy's digest, then body, maker and derivation of every packet. A mismatch is a
 * result.
 * @throws SourceError if it is not a bundle of one symbol that contains the packet
 */
export async function checkBundle(input: BundleInput): Promise<BundleCheck> {
  const index = await indexFiles([input.bundle], () => undefined);
  const { symbol, packets } = packetsOf(index);
  const packet = input.eventId === undefined ? packets.at(-1) : packets.find(({ eventId }) => eventId === input.eventId);
  if (packet === undefined) throw unusable(`the bundle does not contain packet ${input.eventId ?? ''}`);
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

function packetsOf(index: FileIndex): { readonly symbol: string; readonly packets: readonly RetainedPacket[] } {
  const symbols = new Set([...index.packets.keys(), ...index.rowFiles.keys(), ...index.checkpoints.keys()]);
  const [entry] = index.packets;
  if (entry === undefined) throw unusable('the bundle contains no packets');
  if (symbols.size > 1) throw unusable(`the bundle contains lines of several symbols: ${[...symbols].join(', ')}`);
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

function otherPolicy({ windowEndMs, packetId, policyDigest: theirs }: RetainedPacket, ours: HexDigest) {
  const firstDifference: Difference = { in: 'policy', windowEndMs, packetId, path: 'policy_digest', ours, theirs };
  const notChecked: Check = { outcome: 'not_checked', packetTotal: 0 };
  const broken: Check = { outcome: 'broken', packetTotal: 0 };
  return { holds: false, maker: notChecked, derivation: broken, entryTotal: 0, checkpointMs: null, firstDifference };
}

function identityOf({ symbol, windowEndMs, packetId, eventId, packetDigest }: RetainedPacket): BundleCheck['packet'] {
  return { symbol, windowEndMs, packetId, eventId, packetDigest };
}

export { bundleLines } from './verify/bundle';
export type { LineFile } from './verify/file-source';
export { SourceError } from './verify/symbol-source';
export { signingKeyOf } from './packet-row/lines';
export type { SigningKey } from './packet-row/lines';
