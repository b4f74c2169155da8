import type { marketData, labeling } from '@market-state/contracts';
import { notFound } from '@market-state/errors';
import { WINDOW_MS } from '@market-state/market-data';
import { type ChannelName, fromProtoChannel, fromProtoSourceKind, type ServedSymbol, servedSymbol } from '../../clients/market-data-client';
import type { Described } from '../../serving/openapi/document';
import { queryPath, type QueryParameters } from './queries/channel-query';
import type { AnswerSource } from '../../serving/answers/data-answer';
import { symbolFreshness } from '../../serving/answers/symbol-freshness';
import { curlToFile } from '../../serving/answers/curl-command';
import { toUtc } from '../../serving/meta/meta';
import { packetOfEvent } from '../../clients/packet-client';
import type { Upstreams } from '../../clients/upstreams';

/** Default of the parameter `symbol`. With an event id it means the event's own symbol. */
const DEFAULT_SYMBOL = 'BTCUSD-PERP';

/**
 * @param symbol the event's own, or the default
 * @throws ServiceError `unknown_symbol` if the symbol is not served, `unknown_packet` if the id is unknown or belongs
 * to another symbol
 */
export async function packetOfSymbol(
  { marketData, packets }: Pick<Upstreams, 'marketData' | 'packets'>,
  eventId: string,
  symbol: string,
): Promise<labeling.PacketRecord> {
  if (symbol !== DEFAULT_SYMBOL) await servedSymbol(marketData, symbol);
  const packet = await packetOfEvent(packets, eventId, 0);
  if (symbol !== DEFAULT_SYMBOL && packet.symbol !== symbol) throw notFound('unknown_packet', `No event of ${symbol} has this id.`);
  return packet;
}

/** Source of an answer about the rows that join a packet. */
export function joinSource(
  packet: labeling.PacketRecord,
  { venue }: Pick<ServedSymbol, 'venue'>,
  { channels }: Pick<marketData.GetFreshnessResponse, 'channels'>,
): AnswerSource {
  const { symbol, windowEndMs: asOfMs, sourceKind } = packet;
  return { symbol, venue, asOfMs, kinds: [fromProtoSourceKind(sourceKind)], state: symbolFreshness(channels), stored: true };
}

/** Window of a packet: start < exchange time ≤ end. Milliseconds since the epoch. */
export interface PacketWindow {
  readonly startMs: number;
  readonly endMs: number;
}

export function windowOfPacket({ windowEndMs }: Pick<labeling.PacketRecord, 'windowEndMs'>): PacketWindow {
  return { startMs: windowEndMs - WINDOW_MS, endMs: windowEndMs };
}

export function joinWindow({ startMs, endMs }: PacketWindow): Described<'JoinWindow'> {
  return { start_utc: toUtc(startMs), end_utc: toUtc(endMs), length_ms: endMs - startMs };
}

/** Replay bounds for start < exchange time ≤ end. A replay includes its start and excludes its end. */
export function replayBounds({ startMs, endMs }: PacketWindow): { readonly start: string; readonly end: string } {
  return { start: toUtc(startMs + 1), end: toUtc(endMs + 1) };
}

/** A request whose response is saved to a file. */
export interface JoinFetch {
  readonly path: string;
  readonly parameters: QueryParameters;
  /** File name in the working folder. */
  readonly output: string;
}

export function toPublicFetch({ path, parameters, output }: JoinFetch, baseUrl: string) {
  const url = baseUrl + queryPath(path, parameters);
  return { method: 'GET' as const, path, parameters, url, output, fetch: curlToFile(url, output) };
}

/** Channels that packets are made from. */
const JOINED_CHANNELS = ['book', 'trades', 'context', 'liquidations'] as const;

type JoinedChannel = (typeof JOINED_CHANNELS)[number];

export interface ChannelJoin {
  readonly channel: JoinedChannel;
  readonly reported: boolean;
  /** All rows of the window, or the newest row at its end. */
  readonly method: Described<'ChannelJoin'>['method'];
  /** Maximum age of a row at the window's end; 0 if only the window decides. */
  readonly toleranceMs: number;
}

const METHODS: Readonly<Record<JoinedChannel, ChannelJoin['method']>> = {
  book: 'newest_at_end',
  trades: 'window',
  context: 'newest_at_end',
  liquidations: 'window',
};

/** Books and context stay valid until replaced, up to their staleness limit; others join by window. */
export function channelJoins(
  symbol: Pick<ServedSymbol, 'reports'>,
  { channels }: Pick<marketData.GetFreshnessResponse, 'channels'>,
): ChannelJoin[] {
  const limitOf = (name: ChannelName) => channels.find(({ channel }) => fromProtoChannel(channel) === name)?.stalenessLimitMs ?? 0;
  return JOINED_CHANNELS.map((channel) => {
    const method = METHODS[channel];
    return { channel, reported: symbol.reports(channel), method, toleranceMs: method === 'window' ? 0 : limitOf(channel) };
  });
}

/** The packet's window, extended back by the tolerance if that reaches further. */
export function fetchWindow({ toleranceMs }: ChannelJoin, window: PacketWindow): PacketWindow {
  return { startMs: Math.min(window.startMs, window.endMs - toleranceMs), endMs: window.endMs };
}

/** Entries after the one that closed the window were too late for the packet, so the join excludes them. */
export function toPublicJoin({ channel, reported, method, toleranceMs }: ChannelJoin): Described<'ChannelJoin'> {
  const key = ['exchange_time_utc', 'sequence'];
  const oldest = method === 'window' ? 'less than 10 s before it' : `less than ${toleranceMs} ms before it, newest row only`;
  const condition = `row.sequence <= packet.sequence; row.exchange_time_utc at or before packet.exchange_time_utc, ${oldest}`;
  return { channel, reported, method, packet_key: key, row_key: key, condition, tolerance_ms: toleranceMs };
}
