import type { ScenarioName } from '../src/index';
import { playSegments } from '../src/log/scenario-log';
import { placeSegments } from '../src/scenario/scenarios';
import { testScenarioLog } from './scenario-suite';

const SYMBOL = 'SIMUSD-PERP';
const START_MS = 1_767_571_200_000;

/** Pressure, flow and every feed fault in less than two hours. `npm run verify -- files` labels all eight. */
const MINUTES: readonly (readonly [ScenarioName, number])[] = [
  ['cold_start', 2],
  ['calm', 32],
  ['balanced', 4],
  ['bid_pressure', 6],
  ['balanced', 8],
  ['sweep', 8],
  ['venue_silence', 8],
  ['book_gap', 8],
  ['limited_venue', 8],
  ['reconnect', 8],
  ['late_events', 8],
  ['feed_down', 8],
];

const plan = MINUTES.map(([scenario, minutes]) => ({ scenario, lengthMs: minutes * 60_000 }));
const segments = placeSegments(plan, START_MS);

testScenarioLog({ segments, symbol: SYMBOL, events: playSegments({ segments, symbol: SYMBOL, seed: 1 }), movesMin: 5 });
