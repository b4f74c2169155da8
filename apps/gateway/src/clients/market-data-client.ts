import type { marketData } from '@market-state/contracts';
import { unknownSymbol } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import { type ChannelName, fromProtoChannel } from './channel-name';
import { fromProtoSourceKind } from './source-kind';
import type { SourceKindName } from '../serving/meta/meta';

export type MarketDataClient = GrpcClient<marketData.MarketDataServiceService>;

/** A symbol served, in public words. */
export interface ServedSymbol {
  readonly symbol: string;
  readonly venue: string;
  readonly kind: SourceKindName;
  /** Channels that its venue reports. Control entries and packets are the service's own and always there. */
  reports(channel: ChannelName): boolean;
}

/** Every symbol served. */
export async function servedSymbols(client: MarketDataClient): Promise<ServedSymbol[]> {
  const { instruments } = await client.call.listInstruments({});
  return instruments.map(({ symbol, venue, sourceKind, channels }) => {
    const names = new Set<ChannelName | null>([...channels.map(fromProtoChannel), 'control', 'packets']);
    return { symbol, venue, kind: fromProtoSourceKind(sourceKind), reports: (channel) => names.has(channel) };
  });
}

/** A symbol that is served. @throws ServiceError `unknown_symbol` naming those that are. */
export async function servedSymbol(client: MarketDataClient, symbol: string): Promise<ServedSymbol> {
  const served = await servedSymbols(client);
  const found = served.find((candidate) => candidate.symbol === symbol);
  if (found === undefined)
    throw unknownSymbol(
      symbol,
      served.map((candidate) => candidate.symbol),
    );
  return found;
}

/** The one venue that all share, else `multiple`; `unknown` for none. */
export function sharedVenue(symbols: readonly { readonly venue: string }[]): string {
  const [first, ...others] = new Set(symbols.map(({ venue }) => venue));
  return first === undefined ? 'unknown' : others.length === 0 ? first : 'multiple';
}
