import type { labeling } from '@market-state/contracts';
import { type Fault, invalidArgument } from '@market-state/errors';
import type { StoredBrief } from '../packets/packet';
import type { PacketReader } from '../packets/packet-reader';
import { instantFaults } from './instant';
import { givenOrNull } from './span-request';
import { assertServed, symbolFaults } from './symbol';

/** On each side. */
const NEIGHBOURS_MAX = 100;

export interface ListNeighboursDeps {
  readonly reader: Pick<PacketReader, 'briefs'>;
  readonly symbols: readonly string[];
}

function sideFaults(field: string, total: number): Fault[] {
  return total > NEIGHBOURS_MAX ? [{ field, message: `must be at most ${NEIGHBOURS_MAX}`, type: 'out_of_range' }] : [];
}

function toProto({ windowEndMs, sequence, brief }: StoredBrief): labeling.PacketBrief {
  return { windowEndMs, sequence, brief: Buffer.from(brief) };
}

export function createListNeighbours({ reader, symbols }: ListNeighboursDeps) {
  return async function listNeighbours({
    symbol,
    windowEndMs,
    before,
    after,
    asOfMs,
  }: labeling.ListNeighboursRequest): Promise<labeling.ListNeighboursResponse> {
    const faults = [
      ...symbolFaults('symbol', symbol),
      ...instantFaults('window_end_ms', windowEndMs),
      ...sideFaults('before', before),
      ...sideFaults('after', after),
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
  };
}
