import { compactPacket } from '@market-state/packet-views';
import type { ServedPacket } from '../../clients/served-packet';
import { responseStateOf } from '../meta/meta';
import type { Described } from '../openapi/described';

/** How much of each packet an answer holds. */
export type PacketView = 'packet' | 'compact';

/** A stored packet in its compact view. @param delayed for a sandbox key */
export function toCompactRow(
  { packet, packetDigest, lineageDigest, sourceKind }: ServedPacket,
  delayed = false,
): Described<'CompactPacket'> {
  const responseState = responseStateOf({ sourceKinds: [sourceKind], delayed });
  return compactPacket(packet, { packetDigest, lineageDigest, responseState });
}
