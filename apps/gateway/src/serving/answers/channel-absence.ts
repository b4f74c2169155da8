import { marketData } from '@market-state/contracts';
import type { Channel } from '@market-state/market-data';
import type { Described } from '../openapi/described';
import { definitions } from '../policy/definitions';

/** Where a channel would come from. */
export type SourceOfChannel = Pick<marketData.GetFreshnessResponse, 'venue' | 'sourceKind'>;

const CHANNELS: Readonly<Partial<Record<marketData.Channel, Channel>>> = {
  [marketData.Channel.BOOK]: 'book',
  [marketData.Channel.TRADE]: 'trade',
  [marketData.Channel.CONTEXT]: 'context',
  [marketData.Channel.LIQUIDATION]: 'liquidation',
};

/**
 * Why a source does not have a channel, in the words and by the table of the policy that packets are made under; null where it has it. Of a
 * venue that the policy does not know, nothing is said but that this source does not have it.
 */
export function absenceOfChannel(
  { reported, channel }: Pick<marketData.ChannelFreshness, 'reported' | 'channel'>,
  { venue, sourceKind }: SourceOfChannel,
): Described<'Absence'> {
  const name = CHANNELS[channel];
  if (reported || name === undefined) return null;
  const known = definitions.numbers.public_channels[venue];
  if (known !== undefined && !known.includes(name)) return 'not_reported_by_venue';
  return known !== undefined && sourceKind === marketData.SourceKind.LIVE ? 'not_subscribed' : 'not_in_this_source';
}
