import fc from 'fast-check';
import type { MarketEvent } from '@market-state/market-data';
import { createState, restoreState, serializeState, type LabelerState } from '../../src/index';
import { labelLog, POLICY } from '../label-log';
// Test data is no part of what market-data offers.
// eslint-disable-next-line @nx/enforce-module-boundaries
export { anyCharacter } from '../../../market-data/tests/any-character';
import { marketScript, ScriptWriter, type MarketScript, type Telling } from './market-script';

/**
 * Cases per property: PROPERTY_RUNS, or 15, because a case is a whole market; `npm run verify -- properties` runs
 * 1,000.
 */
export const RUNS = { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 15), endOnFailure: true };

/** Cheap properties of one value or row run many more cases. */
export const SMALL_RUNS = { numRuns: 14 * RUNS.numRuns };

/**
 * Market to label. A warm one follows 200 windows of another market, so that thresholds are calibrated, medians,
 * volatilities and trailing means are known, and lanes have a history.
 */
export interface MarketCase {
  readonly warm: boolean;
  readonly script: MarketScript;
}

export const marketCase: fc.Arbitrary<MarketCase> = fc.record({ warm: fc.boolean(), script: marketScript });

interface OpenCase {
  readonly state: () => LabelerState;
  readonly events: readonly MarketEvent[];
}

const WARM_WINDOWS = 200;

/** Windows as generated, each with a book near its end. */
const WARM_UP: MarketScript = fc
  .sample(marketScript, { seed: 20_240_808, numRuns: 60 })
  .flat()
  .slice(0, WARM_WINDOWS)
  .map((happenings, index) => [
    ...happenings.filter(({ kind }) => kind !== 'gap' && kind !== 'disconnect'),
    {
      kind: 'book',
      atMs: 9_500,
      mid: 4_000 + (index % 5),
      halfSpread: 1 + (index % 3),
      bidSizes: [5 + (index % 7), 9, 4],
      askSizes: [8, 6 + (index % 4), 7],
    },
  ]);

interface WarmStart {
  readonly writer: ScriptWriter;
  readonly bytes: Uint8Array;
}

const warmStarts = new Map<string, WarmStart>();

export function openCase({ warm, script }: MarketCase, telling: Partial<Telling> = {}): OpenCase {
  if (!warm) return { state: () => createState('BTCUSD-PERP', POLICY), events: new ScriptWriter(telling).write(script).log.events };
  const { writer, bytes } = warmStart(telling);
  const before = writer.log.events.length;
  return { state: () => restoreState(bytes, POLICY), events: writer.branch().write(script).log.events.slice(before) };
}

function warmStart(telling: Partial<Telling>): WarmStart {
  const key = JSON.stringify(telling);
  const known = warmStarts.get(key);
  if (known !== undefined) return known;
  const writer = new ScriptWriter(telling).write(WARM_UP);
  const state = createState('BTCUSD-PERP', POLICY);
  labelLog(writer.log.events, state);
  const start = { writer, bytes: serializeState(state) };
  warmStarts.set(key, start);
  return start;
}
