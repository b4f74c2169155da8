import { marketData } from '@market-state/contracts';
import type { Described } from '../serving/openapi/described';

/** Channels as the public interface names them, in the order in which answers list them. */
export const CHANNEL_NAMES = ['book', 'trades', 'context', 'liquidations', 'control', 'packets'] as const satisfies readonly ChannelName[];

export type ChannelName = Described<'CatalogChannel'>['channel'];

/** The public name of a channel of the log; null for one that is not stated. */
export function fromProtoChannel(channel: marketData.Channel): Exclude<ChannelName, 'packets'> | null {
  switch (channel) {
    case marketData.Channel.BOOK:
      return 'book';
    case marketData.Channel.TRADE:
      return 'trades';
    case marketData.Channel.CONTEXT:
      return 'context';
    case marketData.Channel.LIQUIDATION:
      return 'liquidations';
    case marketData.Channel.CONTROL:
      return 'control';
    case marketData.Channel.UNSPECIFIED:
      return null;
  }
}
