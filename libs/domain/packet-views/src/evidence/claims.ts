import type { Packet } from '@market-state/labeler';

/** The sentences that weigh against a packet's read; where none does, the one that says so. */
export function counterevidenceOf({ client_reason_summary: summary, reason_details: reasons }: Packet): string[] {
  return summary.counterevidence.map((told) => reasons.find(({ reason_id: id }) => id === told)?.claim ?? told);
}
