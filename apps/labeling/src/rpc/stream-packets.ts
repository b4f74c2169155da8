import type { labeling } from '@market-state/contracts';
import { failedPrecondition, invalidArgument } from '@market-state/errors';
import { symbolFaults } from '@market-state/request-checks';
import type { PacketFeed } from '../packets/packet-feed';
import { assertServed } from './span-request';
import { toProtoPacket } from './wire';

/** A stream is never silent for longer. */
const HEARTBEAT_INTERVAL_MS = 5_000;

interface StreamPacketsDeps {
  readonly feed: PacketFeed;
  readonly symbols: readonly string[];
  readonly labelledSymbols: readonly string[];
  readonly clock: () => number;
}

/** Packets as they are made here, and heartbeats. */
export async function* streamPackets(
  deps: StreamPacketsDeps,
  request: labeling.StreamPacketsRequest,
  context: { readonly signal: AbortSignal },
): AsyncGenerator<labeling.StreamPacketsResponse> {
  const faults = request.symbols.flatMap((symbol, index) => symbolFaults(symbol, `symbols[${index}]`));
  if (faults.length > 0) throw invalidArgument(faults);
  assertServed(request.symbols, deps.symbols);
  const { labelledSymbols } = deps;
  const other = request.symbols.find((symbol) => !labelledSymbols.includes(symbol));
  if (other !== undefined) throw failedPrecondition('other_shard', `${other} is labelled by another process.`);
  const symbols = request.symbols.length === 0 ? labelledSymbols : [...new Set(request.symbols)];
  yield heartbeatOf(deps);
  for await (const packet of deps.feed.open(symbols, HEARTBEAT_INTERVAL_MS, context.signal)) {
    yield packet === undefined ? heartbeatOf(deps) : { message: { $case: 'packet', value: toProtoPacket(packet) } };
  }
}

function heartbeatOf({ symbols, labelledSymbols, clock }: StreamPacketsDeps): labeling.StreamPacketsResponse {
  const value = { symbols: [...labelledSymbols], sentTsMs: clock(), servedSymbols: [...symbols] };
  return { message: { $case: 'heartbeat', value } };
}
