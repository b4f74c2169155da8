import { round6 } from '../src/numbers/round';
import { SOURCE_FAMILIES } from '../src/read';
import type { CompositeName } from '../src/names';
import type { Facts, FactValue } from '../src/policy/facts';
import type { Packet } from '../src/packet/packet';
import { policy } from './packet-read';
import { valuesAt } from './walk-contract';

const sideWord = (value: number | null | undefined, positive: string, negative: string): string | null =>
  value === null || value === undefined ? null : value > 0 ? positive : value < 0 ? negative : 'none';

const composite = ({ state_decision_trace: trace }: Packet, name: string) => trace.composites[name as CompositeName];

const missing = (packet: Packet, reason: string) =>
  SOURCE_FAMILIES.filter((family) => packet.source_status[family].status === 'missing' && packet.source_status[family].reason === reason);

const along = (packet: Packet, name: 'pressure' | 'flow', positive: string): number | null => {
  const { price_move_bps: move } = packet.state_decision_trace.imbalances;
  const side = name === 'pressure' ? packet.state_hierarchy.side_context.book_side : packet.state_hierarchy.side_context.flow_side;
  if (move === null) return null;
  return side === 'none' || move === 0 ? 0 : side === positive ? move : -move;
};

const driver = (packet: Packet) => {
  const { name } = packet.packet_sophistication.driver;
  return name === 'none' ? null : composite(packet, name);
};

const mover = (packet: Packet): CompositeName | undefined => packet.changed.largest_mover?.composite;

const isCurrent = ({ state_diagnosis: { winner_state: winner } }: Packet) =>
  winner !== 'insufficient_evidence' && winner !== 'replay_context_ready';

const underWatch = (packet: Packet) =>
  policy.numbers.state_composites[packet.state]
    .map((name) => [name, composite(packet, name)] as const)
    .find(([, { held, score, watch }]) => held && score !== null && score < watch);

const nearest = (packet: Packet) => {
  const [, name, level] = /^(.*)_(watch|elevated)$/.exec(packet.state_decision_trace.threshold_crossings.nearest?.feature_id ?? '') ?? [];
  return name === undefined ? null : { trace: composite(packet, name), level: level as 'watch' | 'elevated' };
};

/** Facts without a packet field of their own, derived from other fields. */
const DERIVED: Readonly<Record<string, (packet: Packet) => FactValue>> = {
  book_event_total: (packet) => packet.packet_lineage_summary.window_event_totals.book ?? 0,
  trade_event_total: (packet) => packet.packet_lineage_summary.window_event_totals.trade ?? 0,
  top1_side: (packet) => sideWord(packet.state_decision_trace.imbalances.top1, 'bid', 'ask'),
  top5_side: (packet) => sideWord(packet.state_decision_trace.imbalances.top5, 'bid', 'ask'),
  liquidated_side: ({ driver_strengths: { liquidation_pressure_direction: direction } }) =>
    sideWord(direction === null ? null : -direction, 'longs', 'shorts'),
  price_move_with_book_bps: (packet) => along(packet, 'pressure', 'bid'),
  price_move_with_flow_bps: (packet) => along(packet, 'flow', 'buy'),
  volatility_change: (packet) => {
    const { realized_vol_short: short, realized_vol_session: session } = composite(packet, 'regime').terms;
    return short === null || session === null || short === undefined || session === undefined
      ? null
      : short > session
        ? 'rising'
        : short < session
          ? 'falling'
          : 'level';
  },
  unreported_families: (packet) => missing(packet, 'not_reported_by_venue'),
  absent_families: (packet) => missing(packet, 'not_in_this_source'),
  unsubscribed_families: (packet) => missing(packet, 'not_subscribed'),
  unseen_families: (packet) => missing(packet, 'never_seen'),
  partial_families: (packet) => packet.state_diagnosis.source_support.partial_families,
  resolved_families: (packet) => packet.state_diagnosis.source_support.resolved_families,
  book_and_flow: (packet) => packet.state_hierarchy.side_context.book_and_flow,
  has_previous: (packet) => packet.changed.state.previous !== null,
  mid_move_bps_abs: ({ changed: { mid_move_bps: move } }) => (move === null ? null : Math.abs(move)),
  nearest_threshold_value: (packet) => nearest(packet)?.trace.score ?? null,
  nearest_threshold_level: (packet) => {
    const found = nearest(packet);
    return found === null ? null : found.trace[found.level];
  },
  driver_score: (packet) => driver(packet)?.score ?? null,
  driver_watch: (packet) => driver(packet)?.watch ?? null,
  driver_elevated: (packet) => driver(packet)?.elevated ?? null,
  driver_level: (packet) => driver(packet)?.level ?? null,
  driver_leave_at: (packet) => driver(packet)?.leave_at ?? null,
  driver_held: (packet) => driver(packet)?.held ?? null,
  book_leans: (packet) => isCurrent(packet) && composite(packet, 'pressure').held,
  trades_lean: (packet) => isCurrent(packet) && composite(packet, 'flow').held,
  flow_10s_with_book: (packet) => {
    const flow = composite(packet, 'flow').terms['flow_10s'] ?? null;
    const { book_side: side } = packet.state_hierarchy.side_context;
    if (flow === null) return null;
    return side === 'none' || flow === 0 ? 0 : side === 'bid' ? flow : -flow;
  },
  absorption_next_bound_bps: ({ driver_strengths: { spread_bps: spread }, event_profile: profile }) => {
    if (spread === null) return null;
    const bound = Math.max(2, round6(2 * spread));
    return profile === 'contra_flow_absorption' ? round6(2 * bound) : bound;
  },
  runner_up_open: ({ state_decision_trace: trace }) =>
    trace.candidate_states.find(({ state }) => state === trace.runner_up_state)?.terms['open'] === 1,
  book_silence: ({ packet_quality: quality, source_resolution: { gaps } }) =>
    quality.gap_flags.includes('book_gap') &&
    !gaps.some(({ channel, reason }) => reason !== 'recording_seam' && (channel === 'book' || channel === 'all')),
  under_watch_driver: (packet) => underWatch(packet)?.[0] ?? null,
  under_watch_score: (packet) => underWatch(packet)?.[1].score ?? null,
  under_watch_threshold: (packet) => underWatch(packet)?.[1].enter_at ?? null,
  under_watch_leave_at: (packet) => underWatch(packet)?.[1].leave_at ?? null,
  mover_value: (packet) => composite(packet, mover(packet) ?? '')?.score ?? null,
  mover_trailing_mean: (packet) => {
    const name = mover(packet);
    return name === undefined ? null : packet.changed.composites[name].trailing_mean;
  },
};

/** Packet value at a fact's field; `lane:<lane_id>.` refers to one compute lane. */
export function fieldValue(packet: unknown, field: string): FactValue {
  const lane = /^lane:([a-z_]+)\.(.*)$/.exec(field);
  if (lane === null) return (valuesAt(packet, field)[0] ?? null) as FactValue;
  const found = valuesAt(packet, 'compute_lanes[]').find((value) => (value as { lane_id: string }).lane_id === lane[1]);
  return found === undefined ? null : ((valuesAt(found, lane[2] ?? '')[0] ?? null) as FactValue);
}

export function factsOfPacket(packet: Packet): Facts {
  const declared = policy.facts.filter(({ stage }) => stage !== 'lane');
  return Object.fromEntries(
    declared.map(({ name, packet_field: field }) => {
      const derived = DERIVED[name];
      if (derived === undefined && field === undefined) throw new Error(`nothing in a packet gives ${name}`);
      return [name, derived === undefined ? fieldValue(packet, field ?? '') : derived(packet)];
    }),
  );
}

export function factsOfLane(lane: Packet['compute_lanes'][number]): Facts {
  const declared = policy.facts.filter(({ stage }) => stage === 'lane');
  return Object.fromEntries(
    declared.map(({ name, packet_field: field = '' }) => [name, (valuesAt(lane, field.replace(/^lane\./, ''))[0] ?? null) as FactValue]),
  );
}
