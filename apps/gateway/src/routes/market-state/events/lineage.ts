import type { labeling } from '@market-state/contracts';
import { lineageDigest, sha256Hex } from '@market-state/labeler';

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
  constructor(private before: Pick<labeling.PacketRecord, 'lineageDigest'> | undefined) {}

  /** @param previous the lineage digest before it, as its body has it */
  take(record: labeling.PacketRecord, previous: string): void {
    if (this.broken !== null) return;
    const fault = faultOf(record, previous, this.before);
    if (fault !== null) this.broken = { event_id: record.eventId, fault };
    this.before = record;
  }
}

function faultOf(
  { body, packetDigest, lineageDigest: told }: labeling.PacketRecord,
  previous: string,
  before: Pick<labeling.PacketRecord, 'lineageDigest'> | undefined,
): LineageFault | null {
  if (sha256Hex(body) !== packetDigest) return 'body_changed';
  if (lineageDigest(previous, packetDigest) !== told) return 'lineage_wrong';
  return before !== undefined && previous !== before.lineageDigest ? 'not_linked' : null;
}
