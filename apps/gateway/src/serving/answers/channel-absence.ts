import { marketData } from '@market-state/contracts';
import { absenceOf, type Channel, type SourceKind } from '@market-state/market-data';
import type { Described } from '../openapi/described';

/** Where a channel would come from. */
export type SourceOfChannel = Pick<marketData.GetFreshnessResponse, 'venue' | 'sourceKind'>;

const CHANNELS: Readonly<Partial<Record<marketData.Channel, Channel>>> = {
  [marketData.Channel.BOOK]: 'book',
  [marketData.Channel.TRADE]: 'trade',
  [marketData.Channel.CONTEXT]: 'context',
  [marketData.Channel.LIQUIDATION]: 'liquidation',
};

const KINDS: Readonly<Partial<Record<marketData.SourceKind, SourceKind>>> = {
  [marketData.SourceKind.LIVE]: 'live',
  [marketData.SourceKind.RECORDED]: 'recorded',
  [marketData.SourceKind.SIMULATED]: 'simulated',
};

/** Why a source does not have a channel; null where it has it. */
export function absenceOfChannel(
  { reported, channel }: Pick<marketData.ChannelFreshness, 'reported' | 'channel'>,
  { venue, sourceKind }: SourceOfChannel,
): Described<'Absence'> {
  const name = CHANNELS[channel];
  return reported || name === undefined ? null : absenceOf(venue, KINDS[sourceKind], name);
}
