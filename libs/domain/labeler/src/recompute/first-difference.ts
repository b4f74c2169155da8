import type { FieldDifference } from '../verify/compare-packet';
import type { RetainedPacket } from '../verify/retained';
import type { Rederivation } from '../verify/rederive';
import type { Verification } from '../verify/verify-symbol';

/** The first thing that is not as it should be. */
export interface Difference {
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

/** What differs first; null where nothing does. */
export function firstDifference(
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
