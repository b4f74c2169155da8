import { WINDOW_MS } from '@market-state/market-data';
import type { LoggedBrief } from '../logged-packet';

export const STAGE_PACKETS_MAX = 30;

/** Maximum packets of `during` before the event's own. */
export const DURING_BEFORE_MAX = 14;

/** Packets needed on each side of an event to build its stages in every case. */
export const POSTMORTEM_REACH = { before: DURING_BEFORE_MAX + STAGE_PACKETS_MAX, after: 2 * STAGE_PACKETS_MAX - 1 } as const;

/** Packets of a postmortem by stage, oldest first. `during` includes the event's own. */
export interface Stages {
  readonly before: readonly LoggedBrief[];
  readonly during: readonly LoggedBrief[];
  readonly after: readonly LoggedBrief[];
  /** True if the run continues before or after the packets of `during`. */
  readonly cutAtStart: boolean;
  readonly cutAtEnd: boolean;
  /** True if `during` reaches the newest packet, so the run may still continue. */
  readonly runsOn: boolean;
}

function sameRun(a: LoggedBrief, b: LoggedBrief): boolean {
  return a.packet.state === b.packet.state && a.packet.event_class === b.packet.event_class;
}

/** Same published state and event class, each 10 s from the next. */
function runLength(packets: readonly LoggedBrief[], from: number, step: 1 | -1): number {
  let length = 0;
  for (;;) {
    const here = packets[from + length * step];
    const next = packets[from + (length + 1) * step];
    if (here === undefined || next === undefined) return length;
    if (!sameRun(here, next) || Math.abs(next.windowEndMs - here.windowEndMs) !== WINDOW_MS) return length;
    length += 1;
  }
}

/**
 * Splits the packets around an event into stages. `during` is the unbroken run with its published state and event
 * class: at most 14 packets before it, 30 in all. `before` and `after` are the 30 packets on each side.
 * @param packets in log order, including the event's own, covering `POSTMORTEM_REACH`
 * @throws RangeError if the event's own packet is missing
 */
export function stagesOf(packets: readonly LoggedBrief[], eventId: string): Stages {
  const own = packets.findIndex(({ packet }) => packet.event_id === eventId);
  if (own === -1) throw new RangeError(`packets do not include the event's own, ${eventId}`);
  const runBefore = runLength(packets, own, -1);
  const runAfter = runLength(packets, own, 1);
  const start = own - Math.min(runBefore, DURING_BEFORE_MAX);
  const end = Math.min(own + runAfter + 1, start + STAGE_PACKETS_MAX);
  return {
    before: packets.slice(Math.max(0, start - STAGE_PACKETS_MAX), start),
    during: packets.slice(start, end),
    after: packets.slice(end, end + STAGE_PACKETS_MAX),
    cutAtStart: runBefore > DURING_BEFORE_MAX,
    cutAtEnd: own + runAfter + 1 > end,
    runsOn: end === packets.length,
  };
}
