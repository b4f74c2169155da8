import { createState, type LabelerState, type PacketResult } from '../src/index';
import { labelLog, POLICY } from './label-log';
import { recordingPass } from './recording-events';

export { RECORDED_SYMBOLS } from './recording-events';

/** A recording that is labelled as far as a test needs it. */
interface Labelling {
  readonly state: LabelerState;
  /** The packets of each pass that is over. */
  readonly passes: (readonly PacketResult[])[];
}

/** By symbol, for all test files of a process: labelling a pass takes a third of a second. */
const labellings = new Map<string, Labelling>();

/** The packets of `passes` passes over a bundled recording, at its own times. They are shared: changing one throws. */
export function recordingPackets(symbol: string, passes = 1): readonly PacketResult[] {
  const labelling = labellings.get(symbol) ?? { state: createState(symbol, POLICY), passes: [] };
  labellings.set(symbol, labelling);
  const done = labelling.passes;
  while (done.length < passes) done.push(deepFrozen(labelLog(recordingPass(symbol, done.length + 1), labelling.state)));
  return done.slice(0, passes).flat();
}

function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  Object.values(value).forEach(deepFrozen);
  return value;
}
