import type { marketData } from '@market-state/contracts';
import type { RpcDeps } from './deps';
import { toProtoChannel, toProtoSourceKind } from '@market-state/live-market';

/** The symbols served; works from the instrument table alone when the log is not read yet. */
export async function listInstruments({ tail, venues }: RpcDeps): Promise<marketData.ListInstrumentsResponse> {
  return {
    instruments: tail.symbols.map((symbol) => {
      const { venue, venueInstrument, contractValue, sourceKind, channels } = venues.of(symbol);
      return {
        symbol,
        venue,
        venueInstrument,
        contractValue: contractValue ?? '',
        sourceKind: toProtoSourceKind(sourceKind),
        channels: channels.map(toProtoChannel),
      };
    }),
  };
}
