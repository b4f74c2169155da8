import type { Packet } from '@market-state/labeler';
import { counterevidenceOf } from '../evidence/claims';

/** The read of a packet in one sentence. */
export function headlineOf({ client_readout: readout }: Packet): string {
  return readout.headline;
}

/** The first reason for the read; where none supports it, the read itself. */
export function oneReasonOf({ reason_details: reasons, client_readout: readout }: Packet): string {
  return reasons.find(({ stance }) => stance === 'supports')?.claim ?? readout.read;
}

/** The first thing that speaks against the read, or that nothing does. */
export function oneAgainstOf(packet: Packet): string {
  return counterevidenceOf(packet)[0] ?? '';
}

/** What to look at in the next packets. */
export function nextCheckOf({ client_reason_summary: summary }: Packet): string {
  return summary.next_check;
}
