import type { MarketEvent } from '@market-state/market-data';
import type { PacketResult } from './label/label-packet';
import { type Policy, compilePolicy } from './policy/policy';
import { createState, type LabelerState, type PacketMemory } from './reducer/labeler-state';
import { reduce } from './reducer/reduce';
import { policyDigestOf, policyOfFiles } from './verify/bundle';
import { serializeState, restoreStateUnder } from './reducer/state-image';
import { beginningOf, stateAt } from './verify/verify-symbol';
import { indexFiles, type LineFile, fileSource } from './verify/file-source';
import { type RetainedPacket, unusable } from './verify/symbol-source';
import { type PacketChange, PairQueue, type PolicyTotals, TotalsTally } from './policy-diff';
import { sessionScores } from './label/assess';
import { mapComposites, calibrate, defaultCalibration, type Calibration } from './composites/thresholds';
import type { PolicyNumbers } from './policy/numbers';
import { editNumbers, type NumberEdits, type NumberFault } from './policy-numbers';

export interface Lab extends LabLog {
  readonly packets: readonly LabPacket[];
}

export type LabPacket = Pick<PacketResult, 'windowEndMs' | 'eventId' | 'packet' | 'body' | 'packetDigest'>;

/** Result of `market-state diff-policy` over one span. */
export interface LabComparison {
  readonly changes: readonly PacketChange[];
  readonly totals: PolicyTotals;
}

interface LabLog {
  readonly symbol: string;
  readonly published: Policy;
  readonly entries: readonly MarketEvent[];
  /** T of the starting checkpoint; null: the log's first entry. */
  readonly checkpointMs: number | null;
  readonly start: Uint8Array;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Opens a bundle for the policy lab: checks the policy's digest and that every packet recomputed from the log matches
 * byte for byte. `checkBundle` also reports signers and differences.
 * @throws SourceError if it is not a bundle of one symbol and this policy, or a packet does not follow from it
 */
export async function openLab(bundle: LineFile, policyFiles: object): Promise<Lab> {
  const index = await indexFiles([bundle], () => undefined);
  const [symbol, ...others] = index.packets.keys();
  if (symbol === undefined) throw unusable('the bundle contains no packets');
  if (others.length > 0) throw unusable(`the bundle contains packets of several symbols: ${[symbol, ...others].join(', ')}`);
  const digest = policyDigestOf(policyFiles);
  const foreign = index.packets.get(symbol)?.find(({ policyDigest }) => policyDigest !== digest);
  if (foreign !== undefined)
    throw unusable(`the packets were made under policy ${foreign.policyDigest}, but the given policy is ${digest}`);
  const published = policyOfFiles(policyFiles);
  const source = fileSource(index, symbol, {});
  const { start, span } = beginningOf(source, published);
  const state = await stateAt(start, source, published);
  if (typeof state === 'string') throw unusable(state);
  const entries: MarketEvent[] = [];
  for await (const batch of source.entries(state.log.ordinal)) for (const event of batch) entries.push(event);
  const retained: RetainedPacket[] = [];
  for await (const packet of source.packets(span)) retained.push(packet);
  const spanMs = { fromMs: retained[0]?.windowEndMs ?? span.fromMs, toMs: retained.at(-1)?.windowEndMs ?? span.toMs };
  const lab = { symbol, published, entries, checkpointMs: start?.window_end_ms ?? null, start: serializeState(state), ...spanMs };
  const packets = relabelLab(lab, published);
  refuseOthers(retained, packets);
  return { ...lab, packets };
}

function refuseOthers(retained: readonly RetainedPacket[], made: readonly LabPacket[]): void {
  const other = retained.filter(
    ({ packetDigest, bodyDigest }, at) => packetDigest !== made[at]?.packetDigest || bodyDigest !== packetDigest,
  );
  if (other[0] === undefined && made.length === retained.length) return;
  const instant = new Date(other[0]?.windowEndMs ?? made[retained.length]?.windowEndMs ?? 0).toISOString();
  throw unusable(`the packets in the bundle do not follow from its log and policy: the first mismatch is at ${instant}`);
}

export function compareLab(a: readonly LabPacket[], b: readonly LabPacket[]): LabComparison {
  const pairs = new PairQueue<LabPacket>();
  const tally = new TotalsTally();
  const changes: PacketChange[] = [];
  pairs.take(a, b);
  for (const pair of [...pairs.ready(), ...pairs.rest()]) {
    const change = tally.take({ a: pair.a?.packet ?? null, b: pair.b?.packet ?? null });
    if (change !== null) changes.push(change);
  }
  return { changes, totals: tally.totals() };
}

/** Labels the lab's span under a policy. Under the published policy, this yields the published packets. */
export function relabelLab(lab: LabLog, policy: Policy): readonly LabPacket[] {
  const state = stateUnder(lab, policy);
  const made: LabPacket[] = [];
  for (const event of lab.entries) {
    for (const packet of reduce(state, event)) if (packet.windowEndMs >= lab.fromMs && packet.windowEndMs <= lab.toMs) made.push(packet);
  }
  return made;
}

function stateUnder({ symbol, checkpointMs, published, start }: LabLog, policy: Policy): LabelerState {
  return checkpointMs === null ? createState(symbol, policy) : takeOver(start, published, policy);
}

/**
 * Applies edits to the published policy, or returns all faults. A rule of another file that no longer fits is reported
 * at its path.
 */
export function editedPolicy(published: Policy, edits: NumberEdits): Policy | readonly NumberFault[] {
  const { numbers, faults } = editNumbers(published.numbers, edits);
  if (faults.length > 0) return faults;
  const others: NumberFault[] = [];
  const policy = compilePolicy({ ...published.files, numbers }, (file) => (pointer, says) => {
    others.push({ path: `${file}.json${pointer.replaceAll('/', '.')}`, says });
  });
  return others.length > 0 ? others : policy;
}

/**
 * Continues a state of the published policy under an edited one. Thresholds whose numbers were edited are recomputed
 * from the policy or the session's samples; everything else stays. A longer window is filled only as far back as the
 * published policy stored data.
 * @throws StateRestoreError if the bytes are not a state made under the published policy
 */
export function takeOver(bytes: Uint8Array, published: Policy, edited: Policy): LabelerState {
  const state = restoreStateUnder(bytes, published, edited);
  const { memory } = state;
  memory.calibration = calibrationUnder(memory, published.numbers, edited.numbers);
  return state;
}

const CALIBRATION_INPUTS = [
  'sample_minimum',
  'watch_quantile',
  'elevated_quantile',
  'clamp_low',
  'clamp_high',
  'threshold_maximum',
  'elevated_gap',
] as const;

function calibrationUnder(memory: PacketMemory, published: PolicyNumbers, edited: PolicyNumbers): Calibration {
  const { calibration } = memory;
  const all = differs(published.calibration, edited.calibration, CALIBRATION_INPUTS);
  const isEdited = mapComposites(
    (name) => all || differs(published.thresholds[name], edited.thresholds[name], ['watch', 'elevated', 'calibrated']),
  );
  if (!Object.values(isEdited).includes(true)) return calibration;
  const samples = memory.session.length;
  const fresh = calibrate(defaultCalibration(edited, samples), samples, () => sessionScores(memory), newestMs(memory), edited);
  return {
    pairs: mapComposites((name) => (isEdited[name] ? fresh : calibration).pairs[name]),
    source: fresh.source,
    sampleTotal: calibration.sampleTotal,
  };
}

function differs<K extends string>(one: Readonly<Record<K, unknown>>, other: Readonly<Record<K, unknown>>, names: readonly K[]): boolean {
  return names.some((name) => one[name] !== other[name]);
}

function newestMs(memory: PacketMemory): number {
  return memory.history.newest()?.windowEndMs ?? 0;
}

export { policyChanges, type PolicyChange, type PolicyTotals } from './policy-diff';
export type { PacketChange } from './policy-diff';
export type { NumberEdits, NumberFault } from './policy-numbers';
export { bundleLines } from './verify/bundle';
export { SourceError } from './verify/symbol-source';
