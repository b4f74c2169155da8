import { CHANNEL_NAMES, type ChannelName } from '../clients/channel-name';

/** The channels of a checked comma list; all of them when it is empty. */
export function readChannelList(list: string): ReadonlySet<ChannelName> {
  const asked = new Set(list.split(','));
  return new Set(CHANNEL_NAMES.filter((name) => list === '' || asked.has(name)));
}
