import { createState, reduce, restoreState, serializeState } from '../src/index';
import { chainOf, POLICY } from './label-log';
import { recordingPackets } from './recording-packets';
import { recordingEvents } from './recording-events';

/** Enough for thresholds from the symbol's own history. */
const PASSES = 3;

export function testStops(symbol: string): void {
  test(`${symbol} stopped at seeded places and gone on from the stored state gives the packets of the unbroken run`, () => {
    const events = recordingEvents(symbol, PASSES);
    const stops = new Set(Array.from({ length: 8 }, (_, index) => Math.floor((events.length * (index * 0.618034 + 0.1)) % events.length)));
    let state = createState(symbol, POLICY);
    const broken = events.flatMap((event, index) => {
      if (stops.has(index)) state = restoreState(serializeState(state), POLICY);
      return reduce(state, event);
    });
    expect(chainOf(broken)).toEqual(chainOf(recordingPackets(symbol, PASSES)));
    expect(broken.at(-1)?.packet.calibration_context.threshold_source).toBe('symbol_rolling_quantile');
  });
}
