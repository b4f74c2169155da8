import { marketData } from '@market-state/contracts';
import { failedPrecondition, unknownSymbol } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import { toUtc, type SourceKindName } from '../serving/meta/meta';
import type { Described } from '../serving/openapi/document';

/** Public channel names, in response order. */
export const CHANNEL_NAMES = ['book', 'trades', 'context', 'liquidations', 'control', 'packets'] as const satisfies readonly ChannelName[];

export type ChannelName = Described<'CatalogChannel'>['channel'];

const { Channel, SourceKind } = marketData;

const CHANNELS: Readonly<Record<marketData.Channel, Exclude<ChannelName, 'packets'> | null>> = {
  [Channel.BOOK]: 'book',
  [Channel.TRADE]: 'trades',
  [Channel.CONTEXT]: 'context',
  [Channel.LIQUIDATION]: 'liquidations',
  [Channel.CONTROL]: 'control',
  [Channel.UNSPECIFIED]: null,
};

/** Returns null for an unspecified channel. */
export function fromProtoChannel(channel: marketData.Channel): Exclude<ChannelName, 'packets'> | null {
  return CHANNELS[channel];
}

const SOURCE_KINDS: Readonly<Record<marketData.SourceKind, SourceKindName>> = {
  [SourceKind.LIVE]: 'live',
  [SourceKind.RECORDED]: 'recorded',
  [SourceKind.SIMULATED]: 'simulated',
  [SourceKind.UNSPECIFIED]: 'unknown',
};

/** An unspecified kind never counts as live. */
export function fromProtoSourceKind(kind: marketData.SourceKind): SourceKindName {
  return SOURCE_KINDS[kind];
}

export type MarketDataClient = GrpcClient<marketData.MarketDataServiceService>;

export interface ServedSymbol {
  readonly symbol: string;
  readonly venue: string;
  readonly kind: SourceKindName;
  /** Always true for control entries and packets, which the service itself produces. */
  reports(channel: ChannelName): boolean;
}

export async function servedSymbols(client: MarketDataClient): Promise<ServedSymbol[]> {
  const { instruments } = await client.call.listInstruments({});
  return instruments.map(({ symbol, venue, sourceKind, channels }) => {
    const names = new Set<ChannelName | null>([...channels.map(fromProtoChannel), 'control', 'packets']);
    return { symbol, venue, kind: fromProtoSourceKind(sourceKind), reports: (channel) => names.has(channel) };
  });
}

/** @throws ServiceError `unknown_symbol` with the list of served symbols */
export function symbolIn(served: readonly ServedSymbol[], symbol: string): ServedSymbol {
  const found = served.find((candidate) => candidate.symbol === symbol);
  if (found !== undefined) return found;
  const names = served.map((candidate) => candidate.symbol);
  throw unknownSymbol(symbol, names);
}

/** @throws ServiceError `unknown_symbol` with the list of served symbols */
export async function servedSymbol(client: MarketDataClient, symbol: string): Promise<ServedSymbol> {
  return symbolIn(await servedSymbols(client), symbol);
}

/** @throws ServiceError `unknown_symbol` with the list of served symbols */
export async function refuseUnserved(client: MarketDataClient, symbols: readonly string[]): Promise<void> {
  if (symbols.length === 0) return;
  const served = (await servedSymbols(client)).map(({ symbol }) => symbol);
  const unserved = symbols.find((symbol) => !served.includes(symbol));
  if (unserved !== undefined) throw unknownSymbol(unserved, served);
}

/** The venue shared by all symbols, else `multiple`; `unknown` if there are none. */
export function sharedVenue(symbols: readonly { readonly venue: string }[]): string {
  const [first, ...others] = new Set(symbols.map(({ venue }) => venue));
  return first === undefined ? 'unknown' : others.length === 0 ? first : 'multiple';
}

/** Exchange time of the oldest retained row (of any symbol if null); null if there is none. */
export async function oldestRetained(client: MarketDataClient, symbol: string | null): Promise<number | null> {
  const { symbols } = await client.call.getCatalog({ asOfMs: 0 });
  const firsts = symbols
    .filter((entry) => symbol === null || entry.symbol === symbol)
    .flatMap(({ channels }) => channels.map(({ firstMs }) => firstMs).filter((firstMs) => firstMs > 0));
  return firsts.length === 0 ? null : Math.min(...firsts);
}

/**
 * Of any symbol if null.
 * @throws ServiceError `beyond_retention` with the oldest instant
 */
export async function refuseBeforeRetention(client: MarketDataClient, symbol: string | null, instantMs: number): Promise<void> {
  const oldestMs = await oldestRetained(client, symbol);
  if (oldestMs === null || instantMs >= oldestMs) return;
  const sentence = `No data${symbol === null ? '' : ` of ${symbol}`} from before ${toUtc(oldestMs)} is retained.`;
  throw failedPrecondition('beyond_retention', sentence, { metadata: { oldest_ms: String(oldestMs) } });
}
