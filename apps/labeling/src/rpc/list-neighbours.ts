import type { labeling } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import { instantFaults, rangeFaults, symbolFaults } from '@market-state/request-checks';
import type { StoredBrief } from '../packets/packet';
import type { PacketReader } from '../packets/packet-reader';
import { givenOrNull } from './span-request';
import { assertServed } from './assert-served';

/** On each side. */
const NEIGHBOURS_MAX = 100;

export interface ListNeighboursDeps {
  readonly reader: Pick<PacketReader, 'briefs'>;
  readonly symbols: readonly string[];
}

function toProto({ brief, ...place }: StoredBrief): labeling.PacketBrief {
  return { ...place, brief: Buffer.from(brief) };
}

export async function listNeighbours(
  { reader, symbols }: ListNeighboursDeps,
  { symbol, windowEndMs, before, after, asOfMs }: labeling.ListNeighboursRequest,
): Promise<labeling.ListNeighboursResponse> {
  const faults = [
    ...symbolFaults(symbol),
    ...instantFaults('window_end_ms', windowEndMs),
    ...rangeFaults('before', before, 0, NEIGHBOURS_MAX),
    ...rangeFaults('after', after, 0, NEIGHBOURS_MAX),
    ...instantFaults('as_of_ms', asOfMs),
  ];
  if (faults.length > 0) throw invalidArgument(faults);
  assertServed([symbol], symbols);
  const span = { symbol, asOfMs: givenOrNull(asOfMs) };
  const [earlier, later] = await Promise.all([
    before === 0 ? [] : reader.briefs({ ...span, fromMs: null, toMs: windowEndMs, newestFirst: true }, before),
    after === 0 ? [] : reader.briefs({ ...span, fromMs: windowEndMs + 1, toMs: null, newestFirst: false }, after),
  ]);
  return { before: earlier.toReversed().map(toProto), after: later.map(toProto) };
}
