import type { Stages } from './stages';

/** How the run ended: whether it continues, and what the first packet after it read instead. */
export function runView({ during, after, cutAtEnd, runsOn }: Stages) {
  const next = cutAtEnd ? undefined : after[0]?.packet;
  return {
    goes_on: runsOn || cutAtEnd,
    next_window_end_utc: next?.ts ?? null,
    next_state: next?.state ?? null,
    next_event_class: next?.event_class ?? null,
    packet_total: during.length,
  };
}
