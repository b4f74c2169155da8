import type { labeling } from '@market-state/contracts';
import { instantFaults, refuseFaults } from '@market-state/request-checks';
import type { EventIndex } from '../events/event-index';
import { givenOrNull } from './span-request';
import { toProtoArchive } from './wire';

export interface ListHeldPacketsDeps {
  readonly events: Pick<EventIndex, 'held'>;
  readonly symbols: readonly string[];
}

export async function listHeldPackets(
  { events, symbols }: ListHeldPacketsDeps,
  { asOfMs }: labeling.ListHeldPacketsRequest,
): Promise<labeling.ListHeldPacketsResponse> {
  refuseFaults(instantFaults('as_of_ms', asOfMs));
  const held = await events.held(symbols, givenOrNull(asOfMs));
  return {
    symbols: held.map(({ symbol, firstMs, lastMs, total, archive }) => ({
      symbol,
      firstWindowEndMs: firstMs ?? 0,
      lastWindowEndMs: lastMs ?? 0,
      packetTotal: total,
      archive: toProtoArchive(archive),
    })),
  };
}
