import { type MarketEvent, WINDOW_MS } from '@market-state/market-data';
import { placeSegments, type PlannedSegment, type Segment, type ScenarioName, scenarios, scenarioOf } from '../scenario/scenarios';
import { MINUTE_MS } from '../scenario/scenario';
import { CLOSING_LAG_MS, simulatedInstrument, DEFAULT_SYMBOL } from '../market/instrument';
import type { PlacedFault } from '../feed/fault';
import { Feed } from '../feed/feed';
import { ORDINARY, type MarketConditions, STEP_MS } from '../market/conditions';
import { Market } from '../market/market';

export interface LogOptions {
  /** Integer 0..4,294,967,295. */
  readonly seed: number;
  /** Default `SIMUSD-PERP`. */
  readonly symbol?: string;
  /** Epoch milliseconds, a multiple of `WINDOW_MS`; default 2026-01-05T00:00:00Z. */
  readonly startMs?: number;
}

interface LogPosition {
  readonly seed: number;
  readonly symbol: string;
  readonly startMs: number;
}

const DEFAULT_START_MS = 1_767_571_200_000;
const SEED_MAX = 0xffff_ffff;

export function placeOf({ seed, symbol = DEFAULT_SYMBOL, startMs = DEFAULT_START_MS }: LogOptions): LogPosition {
  if (!Number.isInteger(seed) || seed < 0 || seed > SEED_MAX)
    throw new RangeError(`seed must be a whole number 0..${SEED_MAX}, not ${seed}`);
  if (!Number.isSafeInteger(startMs) || startMs <= 0 || startMs % WINDOW_MS !== 0) {
    throw new RangeError(`startMs must be a positive multiple of ${WINDOW_MS}, not ${startMs}`);
  }
  return { seed, symbol, startMs };
}

interface LogInput {
  readonly segments: readonly Segment[];
  readonly symbol: string;
  readonly seed: number;
}

/** Steps of 250 ms, each ending with a tick. Continues for the closing lag, so that the last window closes. */
export function* playSegments({ segments, symbol, seed }: LogInput): Generator<MarketEvent> {
  const first = segments[0];
  if (first === undefined) return;
  const market = new Market(simulatedInstrument(symbol), seed, conditionsAt(first, first.fromMs));
  const feed = new Feed(symbol, seed);
  yield feed.connect(first.fromMs);
  for (const segment of segments) {
    const stopMs = segment === segments.at(-1) ? segment.toMs + CLOSING_LAG_MS : segment.toMs;
    yield* playSegment(segment, stopMs, market, feed);
  }
}

function* playSegment(segment: Segment, stopMs: number, market: Market, feed: Feed): Generator<MarketEvent> {
  const faults = faultsOf(segment);
  for (let clockMs = segment.fromMs; clockMs < stopMs; clockMs += STEP_MS) {
    const conditions = conditionsAt(segment, clockMs);
    if (faults.some((fault) => fault.kind === 'seam' && fault.endMs === clockMs)) market.reopen(conditions);
    feed.take(market.step(clockMs, conditions), faults);
    yield* feed.entriesUntil(clockMs + STEP_MS, faults);
  }
}

function conditionsAt({ scenario, fromMs }: Segment, clockMs: number): MarketConditions {
  return { ...ORDINARY, ...scenarios[scenario].conditions(clockMs - fromMs) };
}

function faultsOf({ scenario, fromMs, toMs }: Segment): PlacedFault[] {
  return (scenarios[scenario].faults ?? [])
    .map((fault) => ({ ...fault, startMs: fromMs + fault.fromMs, endMs: Math.min(toMs, fromMs + fault.toMs) }))
    .filter((fault) => fault.startMs < toMs);
}

/**
 * Minutes per scenario, ordered by what depends on history: lasting pressure early, strong flow after weak, volatility
 * last.
 */
const MINUTES: readonly (readonly [ScenarioName, number])[] = [
  ['cold_start', 2],
  ['calm', 34],
  ['flickering_quotes', 14],
  ['balanced', 8],
  ['bid_pressure', 8],
  ['balanced', 10],
  ['bid_absorption', 8],
  ['balanced', 10],
  ['ask_absorption', 8],
  ['balanced', 12],
  ['thinning', 10],
  ['balanced', 12],
  ['sweep', 8],
  ['balanced', 12],
  ['bid_pressure_with_buy_flow', 7],
  ['balanced', 12],
  ['funding_spike', 16],
  ['balanced', 12],
  ['ask_pressure_with_sell_flow', 7],
  ['balanced', 14],
  ['open_interest_surge', 12],
  ['crowding_persists', 24],
  ['liquidation_cascade', 12],
  ['recording_seam', 8],
  ['balanced', 12],
  ['ask_pressure', 8],
  ['balanced', 12],
  ['liquidation_cascade_inferred', 12],
  ['balanced', 12],
  ['context_stale', 8],
  ['venue_silence', 8],
  ['balanced', 10],
  ['book_gap', 8],
  ['trade_gap', 8],
  ['limited_venue', 8],
  ['reconnect', 8],
  ['late_events', 8],
  ['duplicates', 8],
  ['feed_down', 10],
  ['balanced', 14],
  ['volatility_up', 14],
  ['volatility_down', 16],
  ['balanced', 16],
];

const setPlan: readonly PlannedSegment[] = MINUTES.map(([scenario, minutes]) => ({ scenario, lengthMs: minutes * MINUTE_MS }));

interface ScenarioSet {
  readonly symbol: string;
  readonly segments: readonly Segment[];
  /** Readable once. */
  readonly events: Generator<MarketEvent>;
}

/** @throws RangeError if the seed or the start is out of range */
export function scenarioSet(options: LogOptions): ScenarioSet {
  const { seed, symbol, startMs } = placeOf(options);
  const segments = placeSegments(setPlan, startMs);
  return { symbol, segments, events: playSegments({ segments, symbol, seed }) };
}

const HOUR_MS = 60 * MINUTE_MS;
/** Enough to calibrate thresholds and to have an hour of open interest. */
const LEAD_MS = 62 * MINUTE_MS;

interface ScenarioOptions extends LogOptions {
  readonly scenario: ScenarioName;
  /** Log length, over 0; default 2. Rounded up to whole windows of 10 s. */
  readonly hours?: number;
}

/**
 * Lazy log of one scenario: 62 minutes of ordinary market and an episode, repeated. A cold start comes once, first.
 * Deterministic by seed.
 * @throws UnknownScenarioError
 * @throws RangeError if a number is out of range
 */
export function scenarioEvents(options: ScenarioOptions): Generator<MarketEvent> {
  const { seed, symbol } = placeOf(options);
  return playSegments({ segments: scenarioSegments(options), symbol, seed });
}

/** Only the first episode and its lead have expectations: later ones see a history that includes the first. */
export function scenarioSegments(options: ScenarioOptions): readonly Segment[] {
  const { hours = 2, scenario } = options;
  if (!(hours > 0) || !Number.isFinite(hours)) throw new RangeError(`hours must be over 0, not ${hours}`);
  const plan = planOf(scenario, Math.ceil((hours * HOUR_MS) / WINDOW_MS) * WINDOW_MS);
  const first = plan.findIndex((segment) => segment.scenario === scenario);
  return placeSegments(plan, placeOf(options).startMs).map((segment, place) => (place <= first ? segment : { ...segment, expects: [] }));
}

function planOf(scenario: ScenarioName, lengthMs: number): PlannedSegment[] {
  const { episodeMs } = scenarioOf(scenario);
  if (scenario === 'calm' || scenario === 'balanced') return [{ scenario, lengthMs }];
  const plan: PlannedSegment[] = [];
  let leftMs = lengthMs;
  const add = (name: ScenarioName, wantedMs: number): void => {
    const segmentMs = Math.min(wantedMs, leftMs);
    if (segmentMs > 0) plan.push({ scenario: name, lengthMs: segmentMs });
    leftMs -= segmentMs;
  };
  if (scenario === 'demo') while (leftMs > 0) add(scenario, episodeMs);
  if (scenario === 'cold_start') {
    add(scenario, episodeMs);
    add('balanced', leftMs);
  }
  while (leftMs > 0) {
    add('balanced', LEAD_MS);
    add(scenario, episodeMs);
  }
  return plan;
}
