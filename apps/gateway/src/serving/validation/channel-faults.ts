import { CHANNEL_NAMES } from '../../clients/channel-name';
import type { FaultItem } from '../errors/fault-item';

/** The channels of a comma list that there are not, named with those that there are. */
export function channelFaults(values: Readonly<Record<string, unknown>>): FaultItem[] {
  const list = values['channels'];
  if (typeof list !== 'string' || list === '') return [];
  const known: ReadonlySet<string> = new Set(CHANNEL_NAMES);
  const unknown = [...new Set(list.split(','))].filter((name) => !known.has(name));
  if (unknown.length === 0) return [];
  const names = unknown.map((name) => JSON.stringify(name.slice(0, 40))).join(', ');
  return [
    {
      loc: ['query', 'channels'],
      msg: `has ${names}, which is no channel: take a comma list of ${CHANNEL_NAMES.join(', ')}, or leave it empty for all`,
      type: 'unknown_channel',
    },
  ];
}
