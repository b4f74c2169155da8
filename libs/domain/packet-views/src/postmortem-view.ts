import { SOURCE_FAMILIES, COMPOSITES, type CompositeName, FEATURE_KEYS, type FeatureKey, round6 } from '@market-state/labeler';
import { WINDOW_MS } from '@market-state/market-data';
import type { Definitions } from './definitions';
import { transitionRows, missingBetween, lineageRow } from './lineage-rows';
import type { LoggedBrief, LoggedPacket } from './packet-brief';

const STAGE_PACKETS_MAX = 30;

/** Packets of `during` before the event's own. */
const DURING_BEFORE_MAX = 14;

/** Packets on each side of an event that suffice for its stages in every case. */
export const POSTMORTEM_REACH = { before: DURING_BEFORE_MAX + STAGE_PACKETS_MAX, after: 2 * STAGE_PACKETS_MAX - 1 } as const;

/** Oldest first. `during` includes the event's own. */
interface Stages {
  readonly before: readonly LoggedBrief[];
  readonly during: readonly LoggedBrief[];
  readonly after: readonly LoggedBrief[];
  /** The run continues before or after the packets of `during`. */
  readonly cutAtStart: boolean;
  readonly cutAtEnd: boolean;
  /** `during` reaches the newest packet, so the run may still continue. */
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

const DURING_RULE =
  `The unbroken run of packets around the event with its published state and event class; at most ` +
  `${DURING_BEFORE_MAX} before it and ${STAGE_PACKETS_MAX} in all.`;

/** @throws RangeError as `stagesOf` */
export function postmortemView(packets: readonly LoggedBrief[], event: LoggedPacket, definitions: Definitions) {
  const stages = stagesOf(packets, event.packet.event_id);
  const { before, during, after } = stages;
  const all = [...before, ...during, ...after];
  return {
    span: { firstMs: (all[0] ?? event).windowEndMs, lastMs: (all.at(-1) ?? event).windowEndMs },
    during_rule: DURING_RULE,
    complete: after.length === STAGE_PACKETS_MAX,
    run: runView(stages),
    stages: stageViews(stages),
    transitions: transitionRows(all),
    what_changed: whatChanged(stages, event, definitions),
    reasons_held: reasonsHeld(stages, event),
    what_was_missing: whatWasMissing(stages, definitions),
  };
}

function spanOf(packets: readonly LoggedBrief[]) {
  return { first_window_end_utc: packets.at(0)?.packet.ts ?? null, last_window_end_utc: packets.at(-1)?.packet.ts ?? null };
}

function stage(packets: readonly LoggedBrief[], complete: boolean, sentence: string) {
  return { packet_total: packets.length, complete, ...spanOf(packets), sentence, rows: packets.map(lineageRow) };
}

function beforeSentence(total: number): string {
  if (total === 0) return 'No earlier packet is stored.';
  return total === STAGE_PACKETS_MAX
    ? `The ${total} packets before.`
    : `Only ${total} of the ${STAGE_PACKETS_MAX} packets before it are stored.`;
}

function duringSentence({ during, cutAtStart, cutAtEnd, runsOn }: Stages): string {
  const total = during.length === 1 ? 'Only this packet has' : `${during.length} packets in a row have`;
  const sides = [...(cutAtStart ? ['before them'] : []), ...(cutAtEnd ? ['after them'] : [])].join(' and ');
  const further = sides === '' ? '' : ` The run continues ${sides}.`;
  return `${total} this published state and this event class.${further}${runsOn ? ' It reaches the newest packet and may continue.' : ''}`;
}

function afterSentence(total: number): string {
  if (total === STAGE_PACKETS_MAX) return `The ${total} packets after.`;
  return total === 0 ? 'No packet has followed yet.' : `${total} of ${STAGE_PACKETS_MAX} packets have followed so far.`;
}

function stageViews(stages: Stages) {
  const { before, during, after, runsOn } = stages;
  return {
    before: stage(before, before.length === STAGE_PACKETS_MAX, beforeSentence(before.length)),
    during: stage(during, !runsOn, duringSentence(stages)),
    after: stage(after, after.length === STAGE_PACKETS_MAX, afterSentence(after.length)),
  };
}

/** Share of later packets that still have a reason: at least half, fewer, none, or unknown without later packets. */
type ReasonOutcome = 'held' | 'faded' | 'ended' | 'not_known_yet';

function outcomeOf(standing: number, total: number): ReasonOutcome {
  if (total === 0) return 'not_known_yet';
  if (standing === 0) return 'ended';
  return standing / total >= 0.5 ? 'held' : 'faded';
}

/** Per reason: number of later packets with the same reason and stance, and its last sentence. */
function reasonsHeld({ after }: Stages, { packet }: LoggedPacket) {
  return packet.reason_details.map(({ reason_id, reason_family, stance, claim }) => {
    const standing = after.flatMap((later) =>
      later.packet.reason_details.filter((reason) => reason.reason_id === reason_id && reason.stance === stance),
    );
    return {
      reason_id,
      reason_family,
      stance,
      claim_at_event: claim,
      outcome: outcomeOf(standing.length, after.length),
      after_packet_total: standing.length,
      after_share: after.length === 0 ? null : round6(standing.length / after.length),
      last_claim_after: standing.at(-1)?.claim ?? null,
    };
  });
}

type Read = (logged: LoggedBrief) => number | null;

function meanOf(packets: readonly LoggedBrief[], read: Read) {
  const values = packets.map(read).filter((value) => value !== null);
  return {
    mean: values.length === 0 ? null : round6(values.reduce((sum, value) => sum + value, 0) / values.length),
    packet_total: values.length,
  };
}

function difference(later: number | null, earlier: number | null): number | null {
  return later === null || earlier === null ? null : round6(later - earlier);
}

function comparison({ before, after }: Stages, event: LoggedBrief, read: Read) {
  const [earlier, later] = [meanOf(before, read), meanOf(after, read)];
  return {
    before_mean: earlier.mean,
    before_packet_total: earlier.packet_total,
    at_event: read(event),
    after_mean: later.mean,
    after_packet_total: later.packet_total,
    change_before_to_after: difference(later.mean, earlier.mean),
  };
}

function observed({ packet }: LoggedBrief, feature: FeatureKey): number | null {
  if (packet.source_resolution.not_available.includes(feature)) return null;
  if (feature === 'lineage_price_move_bps_abs' && packet.state_decision_trace.imbalances.price_move_bps === null) return null;
  return packet.driver_strengths[feature];
}

/** Values that are not observations are left out of the means. */
function whatChanged(stages: Stages, event: LoggedBrief, { features, label }: Definitions) {
  const score =
    (name: CompositeName): Read =>
    ({ packet }) =>
      packet.state_decision_trace.composites[name].score;
  return {
    features: FEATURE_KEYS.map((feature) => ({
      feature,
      unit: features[feature].unit,
      ...comparison(stages, event, (logged) => observed(logged, feature)),
    })),
    scores: COMPOSITES.map((name) => ({ composite: name, label: label('drivers', name), ...comparison(stages, event, score(name)) })),
    severity: comparison(stages, event, ({ packet }) => packet.event_severity.score),
    confidence: comparison(stages, event, ({ packet }) => packet.confidence.score),
  };
}

function familyGaps(packets: readonly LoggedBrief[], { label }: Definitions) {
  return SOURCE_FAMILIES.flatMap((family) => {
    const sources = packets.map(({ packet }) => packet.source_status[family]).filter(({ status }) => status !== 'resolved');
    if (sources.length === 0) return [];
    return [
      {
        source_family: family,
        label: label('source_families', family),
        missing_packet_total: sources.filter(({ status }) => status === 'missing').length,
        partial_packet_total: sources.filter(({ status }) => status === 'partial').length,
        reasons: [...new Set(sources.map(({ reason }) => reason))],
      },
    ];
  });
}

function flagTotals(packets: readonly LoggedBrief[]) {
  const totals = new Map<string, number>();
  for (const { packet } of packets) for (const flag of packet.packet_quality.gap_flags) totals.set(flag, (totals.get(flag) ?? 0) + 1);
  return [...totals].map(([gap_flag, packet_total]) => ({ gap_flag, packet_total }));
}

function whatWasMissing({ before, during, after }: Stages, definitions: Definitions) {
  const packets = [...before, ...during, ...after];
  const lateTotals = packets.map(({ packet }) => packet.source_resolution.late_event_total);
  return {
    packet_total: packets.length,
    source_families: familyGaps(packets, definitions),
    gap_flags: flagTotals(packets),
    holes: missingBetween(packets),
    late_event_total: Math.max(0, (lateTotals.at(-1) ?? 0) - (lateTotals.at(0) ?? 0)),
    calibrating_packet_total: packets.filter(({ packet }) => packet.calibration_context.live_during_calibration).length,
  };
}

function runView({ during, after, cutAtEnd, runsOn }: Stages) {
  const next = cutAtEnd ? undefined : after[0]?.packet;
  return {
    goes_on: runsOn || cutAtEnd,
    next_window_end_utc: next?.ts ?? null,
    next_state: next?.state ?? null,
    next_event_class: next?.event_class ?? null,
    packet_total: during.length,
  };
}
