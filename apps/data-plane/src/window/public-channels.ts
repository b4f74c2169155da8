import { CHANNELS, type Channel } from '@market-state/market-data';

const PUBLIC_NAMES: Readonly<Record<Channel, string>> = {
  book: 'book',
  trade: 'trades',
  context: 'context',
  liquidation: 'liquidations',
  control: 'control',
};

/** Packets are not a log channel, but part of every window. */
export const PACKETS = 'packets';

export const WINDOW_CHANNELS: readonly string[] = [...CHANNELS.map((channel) => PUBLIC_NAMES[channel]), PACKETS];

export function toPublicChannel(channel: Channel): string {
  return PUBLIC_NAMES[channel];
}

export function fromPublicChannels(names: readonly string[]): Channel[] {
  return CHANNELS.filter((channel) => names.includes(PUBLIC_NAMES[channel]));
}
