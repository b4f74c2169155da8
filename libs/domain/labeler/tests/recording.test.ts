import { createState, reduce, restoreState, serializeState } from '../src/index';
import { chainOf, POLICY } from './label-log';
import { RECORDED_SYMBOLS, recordingPackets } from './recording-packets';
import { recordingEvents } from './recording-events';

describe.each(RECORDED_SYMBOLS)('the recording of %s', (symbol) => {
  test('stopped at seeded places and gone on from the stored state gives the packets of the unbroken run', () => {
    const events = recordingEvents(symbol, 3);
    const stops = new Set(Array.from({ length: 8 }, (_, index) => Math.floor((events.length * (index * 0.618034 + 0.1)) % events.length)));
    let state = createState(symbol, POLICY);
    const broken = events.flatMap((event, index) => {
      if (stops.has(index)) state = restoreState(serializeState(state), POLICY);
      return reduce(state, event);
    });
    expect(chainOf(broken)).toEqual(chainOf(recordingPackets(symbol, 3)));
    expect(broken.at(-1)?.packet.calibration_context.threshold_source).toBe('symbol_rolling_quantile');
  });
});
