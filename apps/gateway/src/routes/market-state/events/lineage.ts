import type { labeling } from '@market-state/contracts';
import { lineageDigest, sha256Hex } from '@market-state/labeler';
import type { PacketRead } from '../../../clients/packets/read-packet';

/** What is not as it should be with the first packet that breaks a chain. */
export type LineageFault =
  /** Its body does not have the digest that stands on it. */
  | 'body_changed'
  /** Its lineage digest is not that of its body and the lineage before it. */
  | 'lineage_wrong'
  /** It does not follow the packet before it: another chain begins, or packets are missing. */
  | 'not_linked';

export interface LineageBreak {
  readonly event_id: string;
  readonly fault: LineageFault;
}

/**
 * The first packet where digests, worked out anew from the bodies, do not make one chain; null where they do. `before` is the packet before
 * them, if there is one.
 */
export function lineageBreak(
  before: labeling.PacketRecord | undefined,
  packets: readonly Pick<PacketRead, 'record' | 'logged'>[],
): LineageBreak | null {
  let last = before;
  for (const read of packets) {
    const fault = faultOf(read, last);
    if (fault !== null) return { event_id: read.record.eventId, fault };
    last = read.record;
  }
  return null;
}

function faultOf(
  { record, logged }: Pick<PacketRead, 'record' | 'logged'>,
  before: labeling.PacketRecord | undefined,
): LineageFault | null {
  const { body, packetDigest, lineageDigest: told } = record;
  if (sha256Hex(body) !== packetDigest) return 'body_changed';
  const { previous_lineage_digest: previous } = logged.packet;
  if (lineageDigest(previous, packetDigest) !== told) return 'lineage_wrong';
  return before !== undefined && previous !== before.lineageDigest ? 'not_linked' : null;
}
