import type { marketData } from '@market-state/contracts';
import { venueOf } from '../market/venue';
import type { RpcDeps } from './deps';
import { toProtoChannel, toProtoSourceKind } from './to-proto';

/** The symbols served; works from the instrument table alone when the log is not read yet. */
export async function listInstruments({ tail }: RpcDeps): Promise<marketData.ListInstrumentsResponse> {
  return {
    instruments: tail.symbols.map((symbol) => {
      const { instrument, sourceKind, channels } = venueOf(symbol, tail.peek(symbol));
      return {
        symbol,
        venue: instrument.venue,
        venueInstrument: instrument.venueInstrument,
        contractValue: instrument.contractValue,
        sourceKind: toProtoSourceKind(sourceKind),
        channels: channels.map(toProtoChannel),
      };
    }),
  };
}
