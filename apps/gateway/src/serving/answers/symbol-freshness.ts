import { marketData } from '@market-state/contracts';
import type { FreshnessState } from '../meta/meta';

/** The public word for a channel's state. */
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

/** State of one channel, and whether the venue reports it. */
export function readChannel(
  { channels }: marketData.GetFreshnessResponse,
  channel: marketData.Channel,
): { readonly reported: boolean; readonly state: FreshnessState } {
  const found = channels.find((candidate) => candidate.channel === channel);
  return found === undefined ? { reported: false, state: 'missing' } : { reported: found.reported, state: fromProtoFreshness(found.state) };
}

/**
 * State of a symbol: the worst among the channels that the venue reports and that may not rest; missing only when all of them
 * are. A channel without a staleness limit, as liquidations, says nothing by its silence.
 */
export function symbolFreshness(channels: readonly marketData.ChannelFreshness[]): FreshnessState {
  const states = channels
    .filter((channel) => channel.reported && channel.stalenessLimitMs > 0)
    .map((channel) => fromProtoFreshness(channel.state));
  if (states.every((state) => state === 'missing')) return 'missing';
  return states.every((state) => state === 'fresh') ? 'fresh' : 'stale';
}
