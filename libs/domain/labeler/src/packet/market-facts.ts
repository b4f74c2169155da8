import type { Policy } from '../policy/policy';
import { emptyFacts, type Facts, type FactSet } from '../policy/facts';
import {
  SOURCE_FAMILIES,
  type MarketRead,
  type Side,
  type SourceFamily,
  type SourceRead,
  type ThresholdRead,
  SOURCE_STATES,
} from '../read';
import { COMPOSITES, type CompositeName } from '../names';
import { changeFacts, sideWord } from './changed';
import { familiesOf } from './sources';
import { absorptionBound } from '../decision/event-class';
import type { PolicyNumbers } from '../policy/numbers';

/** Everything that a tag may read at T, named in policy/facts.json. */
export function marketFacts(read: MarketRead, policy: Policy): FactSet {
  const facts = Object.assign(
    emptyFacts(),
    read.features,
    scopeFacts(read, policy),
    sideFacts(read),
    sourceFacts(read),
    decisionFacts(read, policy),
    heldFacts(read, policy.numbers),
    changeFacts(read),
  );
  for (const name of COMPOSITES) addCompositeFacts(facts, read, name);
  for (const source of read.sources) addSourceFacts(facts, source);
  return facts;
}

function heldFacts(read: MarketRead, numbers: PolicyNumbers): Facts {
  const { pressure, flow } = read.composites;
  const current = !SOURCE_STATES.includes(read.decision.winner);
  const { spread_bps: spreadBps } = read.features;
  return {
    book_leans: current && pressure.held,
    trades_lean: current && flow.held,
    flow_10s_with_book: flowWithBook(read),
    absorption_next_bound_bps: spreadBps === null ? null : absorptionBound(spreadBps, read.eventClass, numbers),
    runner_up_open: read.decision.candidates.find(({ state }) => state === read.decision.runnerUp)?.open === true,
    book_silence: isBookSilence(read),
    ...driverFacts(read),
    ...underWatchFacts(read, numbers),
  };
}

function flowWithBook({ composites: { pressure, flow } }: MarketRead): number | null {
  const flow10s = flow.terms.find(({ name }) => name === 'flow_10s')?.value ?? null;
  if (flow10s === null) return null;
  return pressure.side === 0 || flow10s === 0 ? 0 : pressure.side * flow10s;
}

/** True for a silence past the limit without a logged gap that explains it. */
function isBookSilence({ gapFlags, gaps }: MarketRead): boolean {
  const gap = gaps.some(({ channel, reason }) => reason !== 'recording_seam' && (channel === 'book' || channel === 'all'));
  return gapFlags.includes('book_gap') && !gap;
}

function driverFacts(read: MarketRead): Facts {
  const { name } = driverOf(read);
  const none = {
    driver_score: null,
    driver_watch: null,
    driver_elevated: null,
    driver_leave_at: null,
    driver_held: null,
    driver_level: null,
  };
  if (name === 'none') return none;
  const { score, watch, elevated, leaveAt, held } = read.composites[name];
  return {
    driver_score: score,
    driver_watch: watch,
    driver_elevated: elevated,
    driver_leave_at: leaveAt,
    driver_held: held,
    driver_level: compositeLevel(read, name),
  };
}

function underWatchFacts({ composites, published }: MarketRead, { state_composites: composedOf }: PolicyNumbers): Facts {
  const name = composedOf[published.state].find((other) => composites[other].held && composites[other].score < composites[other].watch);
  const driver = name === undefined ? undefined : composites[name];
  return {
    under_watch_driver: name ?? null,
    under_watch_score: driver?.score ?? null,
    under_watch_threshold: driver?.watch ?? null,
    under_watch_leave_at: driver?.leaveAt ?? null,
  };
}

/** Composite with the highest norm, the earlier one on a tie; `none` if every norm is 0 or missing. */
export function driverOf(read: MarketRead): { readonly name: CompositeName | 'none'; readonly norm: number } {
  let best: { readonly name: CompositeName | 'none'; readonly norm: number } = { name: 'none', norm: 0 };
  for (const name of COMPOSITES) {
    const { available, norm } = read.composites[name];
    if (available && norm > best.norm) best = { name, norm };
  }
  return best;
}

/** The earlier one on a tie; null if no composite has a source. */
export function nearestThreshold(read: MarketRead): ThresholdRead | null {
  let nearest: ThresholdRead | null = null;
  for (const threshold of read.thresholds) {
    if (!read.composites[threshold.composite].available) continue;
    if (nearest === null || Math.abs(threshold.distance) < Math.abs(nearest.distance)) nearest = threshold;
  }
  return nearest;
}

function scopeFacts(read: MarketRead, policy: Policy): Facts {
  return {
    symbol: read.symbol,
    venue: read.venue,
    source_kind: read.sourceKind,
    mid_price: read.mid,
    threshold_source: read.calibration.thresholdSource,
    live_during_calibration: read.calibration.live,
    sample_event_total: read.calibration.sampleTotal,
    samples_required: policy.numbers.calibration.sample_minimum,
    realized_vol_short: read.realizedVolShort,
    realized_vol_session: read.realizedVolSession,
    volatility_change: volatilityChange(read),
    oi_change_1h: read.oiChange1h,
    absorption_bound_bps: read.absorptionBoundBps,
    movement_bps: read.movementBps,
  };
}

function volatilityChange({ realizedVolShort: short, realizedVolSession: session }: MarketRead): string | null {
  if (short === null || session === null) return null;
  return short > session ? 'rising' : short < session ? 'falling' : 'level';
}

function sideFacts(read: MarketRead): Facts {
  const { top1, top3, top5 } = read.imbalances;
  const pressureSide = read.composites.pressure.side;
  const flowSide = read.composites.flow.side;
  const direction = read.features.liquidation_pressure_direction;
  return {
    imbalance_top1: top1,
    imbalance_top3: top3,
    imbalance_top5: top5,
    trade_imbalance: read.tradeImbalance,
    price_move_bps: read.priceMoveMeasured ? read.priceMoveBps : null,
    top1_side: sideWord(top1, 'bid', 'ask'),
    top5_side: sideWord(top5, 'bid', 'ask'),
    pressure_side: sideWord(pressureSide, 'bid', 'ask'),
    flow_side: sideWord(flowSide, 'buy', 'sell'),
    liquidated_side: direction === null ? null : sideWord(-direction, 'longs', 'shorts'),
    book_and_flow: pressureSide === 0 || flowSide === 0 ? 'one_sided' : pressureSide === flowSide ? 'same_side' : 'opposite_sides',
    price_move_with_book_bps: along(read, pressureSide),
    price_move_with_flow_bps: along(read, flowSide),
  };
}

function along({ priceMoveBps, priceMoveMeasured }: MarketRead, side: Side): number | null {
  if (!priceMoveMeasured) return null;
  return side === 0 || priceMoveBps === 0 ? 0 : side * priceMoveBps;
}

function sourceFacts(read: MarketRead): Facts {
  return {
    source_support_ratio: read.sourceSupportRatio,
    resolved_families: familiesOf(read, 'resolved'),
    partial_families: familiesOf(read, 'partial'),
    missing_families: familiesOf(read, 'missing'),
    unreported_families: familiesOf(read, 'missing', 'not_reported_by_venue'),
    absent_families: familiesOf(read, 'missing', 'not_in_this_source'),
    unsubscribed_families: familiesOf(read, 'missing', 'not_subscribed'),
    unseen_families: familiesOf(read, 'missing', 'never_seen'),
    source_family_total: SOURCE_FAMILIES.length,
    gap_flags: read.gapFlags,
    gap_seconds: read.gapSeconds,
    late_event_total: read.lateEventTotal,
    window_event_total: Object.values(read.windowEventTotals).reduce((total, count) => total + count, 0),
    book_event_total: read.windowEventTotals.book,
    trade_event_total: read.windowEventTotals.trade,
  };
}

const SOURCE_FACTS = Object.fromEntries(
  SOURCE_FAMILIES.map((family) => [family, { status: `${family}_status`, reason: `${family}_reason`, age: `${family}_age_ms` }]),
) as Record<SourceFamily, Readonly<Record<'status' | 'reason' | 'age', string>>>;

function addSourceFacts(facts: FactSet, source: SourceRead): void {
  const names = SOURCE_FACTS[source.family];
  facts[names.status] = source.status;
  facts[names.reason] = source.reason;
  facts[names.age] = source.ageMs;
}

function decisionFacts(read: MarketRead, policy: Policy): Facts {
  const { decision, published, numbers } = { ...read, numbers: policy.numbers };
  const driver = driverOf(read);
  const nearest = nearestThreshold(read);
  return {
    winner: decision.winner,
    winner_score: decision.winnerScore,
    runner_up: decision.runnerUp,
    runner_up_score: decision.runnerUpScore,
    margin: decision.margin,
    published_state: published.state,
    state_age_packets: published.agePackets,
    state_persistence_seconds: published.persistenceSeconds,
    winner_streak: published.winnerStreak,
    streak_required: numbers.dwell.packets,
    lost_streak: published.lostStreak,
    publication_rule: published.rule,
    event_class: read.eventClass,
    event_profile: read.eventProfile,
    direction: read.direction,
    severity_score: read.severity.score,
    severity_class: read.severity.severityClass,
    severity_basis: read.severity.basis,
    driver: driver.name,
    driver_norm: driver.norm,
    contradiction_score: read.contradiction.score,
    confidence_score: read.confidence.score,
    confidence_label: read.confidence.label,
    quality_score: read.quality.score,
    quality_class: read.quality.qualityClass,
    crossed_total: read.thresholds.filter((threshold) => threshold.crossingClass === 'crossed').length,
    near_threshold_total: read.thresholds.filter((threshold) => threshold.crossingClass === 'near_threshold').length,
    nearest_threshold: nearest?.featureId ?? null,
    nearest_threshold_value: nearest?.value ?? null,
    nearest_threshold_level: nearest?.threshold ?? null,
    nearest_threshold_distance: nearest?.distance ?? null,
  };
}

export type CompositeLevel = 'elevated' | 'watch' | 'near_watch' | 'below_watch' | 'not_current' | 'not_available' | 'no_source';

/**
 * `near_watch`: within the near ratio below watch. `no_source`: every source is missing. `not_available`: too few
 * samples. `not_current`: the raw winner is a source state.
 */
export function compositeLevel(read: MarketRead, name: CompositeName): CompositeLevel {
  const absence = absenceOf(read, name);
  if (absence !== null) return absence === 'source_missing' ? 'no_source' : 'not_available';
  if (SOURCE_STATES.includes(read.decision.winner)) return 'not_current';
  const crossing = (level: 'watch' | 'elevated') =>
    read.thresholds.find((threshold) => threshold.composite === name && threshold.level === level)?.crossingClass;
  if (crossing('elevated') === 'crossed') return 'elevated';
  if (crossing('watch') === 'crossed') return 'watch';
  return crossing('watch') === 'near_threshold' ? 'near_watch' : 'below_watch';
}

export function absenceOf(read: MarketRead, name: CompositeName): 'source_missing' | 'not_available' | null {
  const { available, terms } = read.composites[name];
  if (available) return null;
  return terms.some((term) => term.note === 'source_missing') ? 'source_missing' : 'not_available';
}

/** Score and norm are null without a source: absent is not zero. */
function addCompositeFacts(facts: FactSet, read: MarketRead, name: CompositeName): void {
  const composite = read.composites[name];
  const { score, norm, watch, elevated, level, held, leaveAt, heldPackets } = FACT_NAMES[name];
  facts[score] = composite.available ? composite.score : null;
  facts[norm] = composite.available ? composite.norm : null;
  facts[watch] = composite.watch;
  facts[elevated] = composite.elevated;
  facts[level] = compositeLevel(read, name);
  facts[held] = composite.held;
  facts[leaveAt] = composite.leaveAt;
  facts[heldPackets] = composite.heldPackets;
  for (const [term, fact] of TERM_FACTS[name] ?? []) facts[fact] = composite.terms.find((part) => part.name === term)?.value ?? null;
}

/** Built once, because building names per packet costs more than their values. */
const FACT_NAMES = Object.fromEntries(COMPOSITES.map((name) => [name, factNames(name)])) as Record<
  CompositeName,
  ReturnType<typeof factNames>
>;

function factNames(name: CompositeName) {
  return {
    score: `${name}_score`,
    norm: `${name}_norm`,
    watch: `${name}_watch`,
    elevated: `${name}_elevated`,
    level: `${name}_level`,
    held: `${name}_held`,
    leaveAt: `${name}_leave_at`,
    heldPackets: `${name}_held_packets`,
  };
}

const TERM_FACTS: Readonly<Partial<Record<CompositeName, readonly (readonly [term: string, fact: string])[]>>> = {
  pressure: [
    ['m180', 'pressure_mean_180s'],
    ['held_seconds', 'held_seconds'],
  ],
  flow: [
    ['trade_imbalance', 'trade_imbalance_180s'],
    ['depth_ratio', 'depth_ratio'],
    ['flow_10s', 'flow_10s'],
  ],
  fragility: [
    ['thin', 'fragility_thin'],
    ['churn', 'fragility_churn'],
    ['wide', 'fragility_wide'],
  ],
  regime: [['range_ratio', 'range_ratio']],
};
