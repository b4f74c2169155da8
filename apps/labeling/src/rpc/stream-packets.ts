import type { labeling } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import { symbolFaults } from '@market-state/request-checks';
import type { PacketFeed } from '../packets/packet-feed';
import { assertServed } from './assert-served';
import { toProtoPacket } from './wire';

/** A stream is never silent for longer. */
const HEARTBEAT_INTERVAL_MS = 5_000;

export interface StreamPacketsDeps {
  readonly feed: PacketFeed;
  readonly symbols: readonly string[];
  readonly clock: () => number;
}

/** Packets as they are made, and heartbeats. */
export async function* streamPackets(
  deps: StreamPacketsDeps,
  request: labeling.StreamPacketsRequest,
  context: { readonly signal: AbortSignal },
): AsyncGenerator<labeling.StreamPacketsResponse> {
  const faults = request.symbols.flatMap((symbol, index) => symbolFaults(symbol, `symbols[${index}]`));
  if (faults.length > 0) throw invalidArgument(faults);
  assertServed(request.symbols, deps.symbols);
  const symbols = request.symbols.length === 0 ? deps.symbols : [...new Set(request.symbols)];
  yield heartbeatOf(deps);
  for await (const packet of deps.feed.open(symbols, HEARTBEAT_INTERVAL_MS, context.signal)) {
    yield packet === undefined ? heartbeatOf(deps) : { message: { $case: 'packet', value: toProtoPacket(packet) } };
  }
}

function heartbeatOf({ symbols, clock }: StreamPacketsDeps): labeling.StreamPacketsResponse {
  return { message: { $case: 'heartbeat', value: { symbols: [...symbols], sentTsMs: clock() } } };
}
