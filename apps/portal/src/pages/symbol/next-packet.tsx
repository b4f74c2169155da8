import { type CompactPacket, PACKET_MS } from '../../packets/board';
import { serviceLeadMs, useNowMs } from '../../service/clock';

/** Time from the end of a window to its packet here, usually: what comes later is called late, milliseconds. */
const USUAL_MS = 3_000;

/** Counts down to the packet that comes next. */
export function NextPacket({ newest }: { readonly newest: CompactPacket | undefined }) {
  const atMs = useNowMs() + Math.max(0, serviceLeadMs() ?? 0);
  if (newest === undefined) return null;
  const leftS = Math.ceil((Date.parse(newest.window_end_utc) + PACKET_MS + USUAL_MS - atMs) / 1_000);
  return <span>{leftS > 0 ? `next packet in ${leftS} s` : leftS > -15 ? 'next packet is due' : `no packet for ${-leftS} s`}</span>;
}
