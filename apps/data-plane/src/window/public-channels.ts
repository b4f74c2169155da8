import { CHANNELS, type Channel } from '@market-state/market-data';

const PUBLIC_NAMES: Readonly<Record<Channel, string>> = {
  book: 'book',
  trade: 'trades',
  context: 'context',
  liquidation: 'liquidations',
  control: 'control',
};

/** The channel of packets: not one of the log, but in every window. */
export const PACKETS = 'packets';

/** Every channel that a window can have, by public name. */
export const WINDOW_CHANNELS: readonly string[] = [...CHANNELS.map((channel) => PUBLIC_NAMES[channel]), PACKETS];

/** Public name of a channel of the log. */
export function toPublicChannel(channel: Channel): string {
  return PUBLIC_NAMES[channel];
}

/** The channels of the log among public names. */
export function fromPublicChannels(names: readonly string[]): Channel[] {
  return CHANNELS.filter((channel) => names.includes(PUBLIC_NAMES[channel]));
}
