import type { MarketEvent } from '@market-state/market-data';
import type { PacketResult } from '../label/chain-packet';
import type { Policy } from '../policy/policy';
import { createState, type LabelerState } from '../reducer/labeler-state';
import { reduce } from '../reducer/reduce';
import { policyDigestOf, policyOfFiles } from '../recompute/policy-of-files';
import { serializeState } from '../state/serialize-state';
import { beginningOf, stateAt } from '../verify/beginning';
import { indexFiles, type LineFile } from '../verify/file-index';
import { fileSource } from '../verify/file-source';
import type { RetainedPacket } from '../verify/retained';
import { unusable } from '../verify/source-error';
import { takeOver } from './take-over';

export type LabPacket = Pick<PacketResult, 'windowEndMs' | 'eventId' | 'packet' | 'body' | 'packetDigest'>;

/** A span of one symbol's log, ready to be labelled. */
interface LabLog {
  readonly symbol: string;
  /** The policy that the packets were published under. */
  readonly published: Policy;
  readonly entries: readonly MarketEvent[];
  /** T of the checkpoint that the span is taken up at, milliseconds since the epoch; null: the log's first entry. */
  readonly checkpointMs: number | null;
  /** The labeler's state before the first entry, as it is stored under the published policy. */
  readonly start: Uint8Array;
  /** T of the first and the last packet, milliseconds since the epoch. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** A log with its published packets in the order of their windows. */
export interface Lab extends LabLog {
  readonly packets: readonly LabPacket[];
}

/**
 * Reads a bundle for the policy lab: the policy's digest is compared with the packets' first, then every packet is made again from the log
 * and must be the published one, byte for byte. `checkBundle` says who signed them, and what differs where something does.
 * @throws SourceError when it is no bundle of one symbol and this policy, or a packet does not follow from it
 */
export async function openLab(bundle: LineFile, policyFiles: object): Promise<Lab> {
  const index = await indexFiles([bundle], () => undefined);
  const [symbol, ...others] = index.packets.keys();
  if (symbol === undefined) throw unusable('the bundle has no packet');
  if (others.length > 0) throw unusable(`the bundle has packets of several symbols: ${[symbol, ...others].join(', ')}`);
  const digest = policyDigestOf(policyFiles);
  const foreign = index.packets.get(symbol)?.find(({ policyDigest }) => policyDigest !== digest);
  if (foreign !== undefined)
    throw unusable(`the packets were made under policy ${foreign.policyDigest}, and the policy given is ${digest}`);
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

/** @throws SourceError when the packets that were made are not those of the bundle */
function refuseOthers(retained: readonly RetainedPacket[], made: readonly LabPacket[]): void {
  const other = retained.filter(
    ({ packetDigest, bodyDigest }, at) => packetDigest !== made[at]?.packetDigest || bodyDigest !== packetDigest,
  );
  if (other[0] === undefined && made.length === retained.length) return;
  const instant = new Date(other[0]?.windowEndMs ?? made[retained.length]?.windowEndMs ?? 0).toISOString();
  throw unusable(`the packets of the bundle do not follow from its log under its policy: the first that does not is that of ${instant}`);
}

/** Labels the lab's span under a policy: the packets of its windows. With the published one they are the published packets. */
export function relabelLab(lab: LabLog, policy: Policy): readonly LabPacket[] {
  const state = stateUnder(lab, policy);
  const made: LabPacket[] = [];
  for (const event of lab.entries) {
    for (const packet of reduce(state, event)) if (packet.windowEndMs >= lab.fromMs && packet.windowEndMs <= lab.toMs) made.push(packet);
  }
  return made;
}

/** A log that is taken up at its first entry has nothing that another policy made. */
function stateUnder({ symbol, checkpointMs, published, start }: LabLog, policy: Policy): LabelerState {
  return checkpointMs === null ? createState(symbol, policy) : takeOver(start, published, policy);
}
