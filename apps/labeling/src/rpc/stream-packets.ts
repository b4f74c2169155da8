import type { labeling } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import type { PacketFeed } from '../packets/packet-feed';
import { assertServed, symbolFaults } from './symbol';
import { toProtoPacket } from './wire';

/** A stream is never silent for longer. */
const HEARTBEAT_INTERVAL_MS = 5_000;

export interface StreamPacketsDeps {
  readonly feed: PacketFeed;
  readonly symbols: readonly string[];
  readonly clock: () => number;
}

export function createStreamPackets(deps: StreamPacketsDeps) {
  function heartbeat(): labeling.StreamPacketsResponse {
    return { message: { $case: 'heartbeat', value: { symbols: [...deps.symbols], sentTsMs: deps.clock() } } };
  }

  return async function* streamPackets(
    request: labeling.StreamPacketsRequest,
    context: { readonly signal: AbortSignal },
  ): AsyncGenerator<labeling.StreamPacketsResponse> {
    const faults = request.symbols.flatMap((symbol, index) => symbolFaults(`symbols[${index}]`, symbol));
    if (faults.length > 0) throw invalidArgument(faults);
    assertServed(request.symbols, deps.symbols);
    const symbols = request.symbols.length === 0 ? deps.symbols : [...new Set(request.symbols)];
    yield heartbeat();
    for await (const packet of deps.feed.open(symbols, HEARTBEAT_INTERVAL_MS, context.signal)) {
      yield packet === undefined ? heartbeat() : { message: { $case: 'packet', value: toProtoPacket(packet) } };
    }
  };
}
