import { marketData } from '@market-state/contracts';
import type { FreshnessState } from '../http/meta';

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

/** State of a symbol: the worst among the channels that the venue reports; missing only when all of them are. */
export function symbolFreshness(channels: readonly marketData.ChannelFreshness[]): FreshnessState {
  const states = channels.filter((channel) => channel.reported).map((channel) => fromProtoFreshness(channel.state));
  if (states.every((state) => state === 'missing')) return 'missing';
  return states.every((state) => state === 'fresh') ? 'fresh' : 'stale';
}
