import type { marketData, labeling } from '@market-state/contracts';
import { notFound } from '@market-state/errors';
import { WINDOW_MS } from '@market-state/market-data';
import { type ChannelName, fromProtoChannel, type ServedSymbol, servedSymbol } from '../../clients/market-data-client';
import type { Described } from '../../serving/openapi/described';
import { queryPath, type QueryParameters } from './queries/channel-query';
import { curlToFile } from '../../serving/answers/shell';
import { toUtc } from '../../serving/meta/instant';
import { packetOfEvent } from '../../clients/packet-client';
import type { Upstreams } from '../../clients/upstreams';

/** Default of the parameter `symbol`. With an event id it stands for the event's own symbol. */
const DEFAULT_SYMBOL = 'BTCUSD-PERP';

/**
 * The packet of an event. @param symbol the event's own, or the default
 * @throws ServiceError `unknown_symbol` for one that is not served, `unknown_packet` for another symbol than the event's or an unknown id
 */
export async function packetOfSymbol(
  { marketData, packets }: Pick<Upstreams, 'marketData' | 'packets'>,
  eventId: string,
  symbol: string,
): Promise<labeling.PacketRecord> {
  if (symbol !== DEFAULT_SYMBOL) await servedSymbol(marketData, symbol);
  const packet = await packetOfEvent(packets, eventId, 0);
  if (symbol !== DEFAULT_SYMBOL && packet.symbol !== symbol) throw notFound('unknown_packet', `There is no such event of ${symbol}.`);
  return packet;
}

/** The window of a packet: start < exchange time ≤ end. Milliseconds since the epoch. */
export interface PacketWindow {
  readonly startMs: number;
  readonly endMs: number;
}

export function windowOfPacket({ windowEndMs }: Pick<labeling.PacketRecord, 'windowEndMs'>): PacketWindow {
  return { startMs: windowEndMs - WINDOW_MS, endMs: windowEndMs };
}

/** The window in public form. */
export function joinWindow({ startMs, endMs }: PacketWindow): Described<'JoinWindow'> {
  return { start_utc: toUtc(startMs), end_utc: toUtc(endMs), length_ms: endMs - startMs };
}

/** Parameters of a replay of rows with start < exchange time ≤ end: a replay takes its start in and leaves its end out. */
export function replayBounds({ startMs, endMs }: PacketWindow): { readonly start: string; readonly end: string } {
  return { start: toUtc(startMs + 1), end: toUtc(endMs + 1) };
}

/** One address to fetch into a file. */
export interface JoinFetch {
  readonly path: string;
  readonly parameters: QueryParameters;
  /** File of the working folder. */
  readonly output: string;
}

/** What every fetch says of itself in public form. */
export function toPublicFetch({ path, parameters, output }: JoinFetch, baseUrl: string) {
  const url = baseUrl + queryPath(path, parameters);
  return { method: 'GET' as const, path, parameters, url, output, fetch: curlToFile(url, output) };
}

/** Channels whose rows a packet is made of. */
const JOINED_CHANNELS = ['book', 'trades', 'context', 'liquidations'] as const;

type JoinedChannel = (typeof JOINED_CHANNELS)[number];

/** How the rows of a channel join a packet. */
export interface ChannelJoin {
  readonly channel: JoinedChannel;
  /** The venue reports it. */
  readonly reported: boolean;
  /** Every row of the window, or the newest row at its end. */
  readonly method: Described<'ChannelJoin'>['method'];
  /** Age at the window's end beyond which a row does not join, milliseconds; 0 where the window alone decides. */
  readonly toleranceMs: number;
}

const METHODS: Readonly<Record<JoinedChannel, ChannelJoin['method']>> = {
  book: 'newest_at_end',
  trades: 'window',
  context: 'newest_at_end',
  liquidations: 'window',
};

/** How each channel of a symbol joins: books and context hold until the next one, up to the age at which they are stale. */
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

/** The window whose rows must be fetched for a join: that of the packet, begun earlier where the tolerance reaches further back. */
export function fetchWindow({ toleranceMs }: ChannelJoin, window: PacketWindow): PacketWindow {
  return { startMs: Math.min(window.startMs, window.endMs - toleranceMs), endMs: window.endMs };
}

/** The join in public form. Entries after the one that closed the window came too late for the packet. */
export function toPublicJoin({ channel, reported, method, toleranceMs }: ChannelJoin): Described<'ChannelJoin'> {
  const key = ['exchange_time_utc', 'sequence'];
  const oldest = method === 'window' ? 'less than 10 s before it' : `less than ${toleranceMs} ms before it, the newest alone`;
  const condition = `row.sequence <= packet.sequence; row.exchange_time_utc at or before packet.exchange_time_utc, ${oldest}`;
  return { channel, reported, method, packet_key: key, row_key: key, condition, tolerance_ms: toleranceMs };
}
