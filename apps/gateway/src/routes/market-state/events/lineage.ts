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

/** Looks at packets one after the other: whether digests, worked out anew from the bodies, make one chain. */
export class LineageCheck {
  /** The first packet that breaks the chain; null as long as none does. */
  broken: LineageBreak | null = null;

  /** @param before the packet before the first, if there is one */
  constructor(private before: labeling.PacketRecord | undefined) {}

  take(read: Pick<PacketRead, 'record' | 'logged'>): void {
    if (this.broken !== null) return;
    const fault = faultOf(read, this.before);
    if (fault !== null) this.broken = { event_id: read.record.eventId, fault };
    this.before = read.record;
  }
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
