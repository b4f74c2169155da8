import { marketData } from '@market-state/contracts';
import type { Channel } from '@market-state/market-data';
import { definitions, type FreshnessState } from '../meta/meta';
import type { Described } from '../openapi/document';

export function fromProtoFreshness(state: marketData.FreshnessState): FreshnessState {
  switch (state) {
    case marketData.FreshnessState.FRESH:
      return 'fresh';
    case marketData.FreshnessState.STALE:
      return 'stale';
    case marketData.FreshnessState.MISSING:
    case marketData.FreshnessState.UNSPECIFIED:
      return 'missing';
  }
}

export function readChannel(
  { channels }: marketData.GetFreshnessResponse,
  channel: marketData.Channel,
): { readonly reported: boolean; readonly state: FreshnessState } {
  const found = channels.find((candidate) => candidate.channel === channel);
  return found === undefined ? { reported: false, state: 'missing' } : { reported: found.reported, state: fromProtoFreshness(found.state) };
}

/** Worst state of the reported channels with a staleness limit; missing only if all are. */
export function symbolFreshness(channels: readonly marketData.ChannelFreshness[]): FreshnessState {
  const states = channels
    .filter((channel) => channel.reported && channel.stalenessLimitMs > 0)
    .map((channel) => fromProtoFreshness(channel.state));
  if (states.every((state) => state === 'missing')) return 'missing';
  return states.every((state) => state === 'fresh') ? 'fresh' : 'stale';
}

export type SourceOfChannel = Pick<marketData.GetFreshnessResponse, 'venue' | 'sourceKind'>;

const CHANNELS: Readonly<Partial<Record<marketData.Channel, Channel>>> = {
  [marketData.Channel.BOOK]: 'book',
  [marketData.Channel.TRADE]: 'trade',
  [marketData.Channel.CONTEXT]: 'context',
  [marketData.Channel.LIQUIDATION]: 'liquidation',
};

/** Policy's reason why a source lacks a channel; null if it has it. */
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

interface ClockSkew {
  readonly venue_clock_ahead: boolean;
  /** Exchange minus receive time; null unless the venue's clock is ahead. */
  readonly clock_skew_ms: number | null;
}

export function clockSkew(exchangeTsMs: number, receivedTsMs: number): ClockSkew {
  const aheadMs = exchangeTsMs - receivedTsMs;
  return aheadMs > 0 ? { venue_clock_ahead: true, clock_skew_ms: aheadMs } : { venue_clock_ahead: false, clock_skew_ms: null };
}
