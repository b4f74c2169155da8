import { createState, type LabelerState, type PacketResult } from '../src/index';
import { labelLog, POLICY } from './label-log';
import { recordingPass } from './recording-events';

export { RECORDED_SYMBOLS } from './recording-events';

interface Labelling {
  readonly state: LabelerState;
  readonly passes: (readonly PacketResult[])[];
}

/** Cached per process: labelling a pass takes a third of a second. */
const labellings = new Map<string, Labelling>();

/** Packets of `passes` passes over a bundled recording. Shared and frozen. */
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
