import { WINDOW_MS, type MarketEvent } from '@market-state/market-data';
import { placeSegments, type PlannedSegment, type Segment } from '../scenario/segment';
import { MINUTE_MS } from '../scenario/scenario';
import { scenarioOf, type ScenarioName } from '../scenario/scenarios';
import { placeOf, type LogOptions } from './log-options';
import { playSegments } from './play-segments';

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
