import type { marketData } from '@market-state/contracts';
import { type ChannelName, fromProtoChannel } from '../../../clients/channel-name';
import type { ServedSymbol } from '../../../clients/market-data-client';
import type { PacketWindow } from './packet-window';
import type { Described } from '../../../serving/openapi/described';

/** Channels whose rows a packet is made of. */
const JOINED_CHANNELS = ['book', 'trades', 'context', 'liquidations'] as const;

export type JoinedChannel = (typeof JOINED_CHANNELS)[number];

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
