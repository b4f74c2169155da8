import { createState, loadPolicy, reduce, type PacketResult } from '../src/index';
import { recordingEvents } from './recording-events';

export { RECORDED_SYMBOLS } from './recording-events';

/** The packets of `passes` passes over a bundled recording, at its own times. */
export function recordingPackets(symbol: string, passes = 1): readonly PacketResult[] {
  const state = createState(symbol, loadPolicy());
  return recordingEvents(symbol, passes).flatMap((event) => reduce(state, event));
}
