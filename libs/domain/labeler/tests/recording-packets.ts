import type { MarketEvent } from '@market-state/market-data';
import { createState, loadPolicy, reduce, type PacketResult } from '../src/index';
import { playRecording } from './recording-events';

export { RECORDED_SYMBOLS } from './recording-events';

/** A recording that is labelled as far as somebody asked for. */
interface Labelling {
  readonly log: Iterator<MarketEvent>;
  readonly reduce: (event: MarketEvent) => readonly PacketResult[];
  /** The packets of each pass that is over. */
  readonly passes: (readonly PacketResult[])[];
  /** The first event of the pass after them. */
  next: MarketEvent;
}

/** By symbol, for all test files of a process: labelling a pass takes a second. */
const labellings = new Map<string, Labelling>();

/** The packets of `passes` passes over a bundled recording, at its own times. They are shared: changing one throws. */
export function recordingPackets(symbol: string, passes = 1): readonly PacketResult[] {
  const labelling = labellings.get(symbol) ?? begin(symbol);
  labellings.set(symbol, labelling);
  while (labelling.passes.length < passes) labelPass(labelling);
  return labelling.passes.slice(0, passes).flat();
}

function begin(symbol: string): Labelling {
  const log = playRecording(symbol);
  const state = createState(symbol, loadPolicy());
  return { log, reduce: (event) => reduce(state, event), passes: [], next: log.next().value };
}

function labelPass(labelling: Labelling): void {
  const pass = labelling.passes.length + 1;
  const packets: PacketResult[] = [];
  for (; labelling.next.pass === pass; labelling.next = labelling.log.next().value) packets.push(...labelling.reduce(labelling.next));
  labelling.passes.push(deepFrozen(packets));
}

function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  Object.values(value).forEach(deepFrozen);
  return value;
}
