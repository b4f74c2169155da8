import type { Channel } from '@market-state/market-data';

/** Channels that carry data. */
export type DataChannel = Exclude<Channel, 'control'>;

/**
 * What goes wrong between the venue and the log. Instants are milliseconds from the start of the segment, multiples of 250; a fault lasts
 * from `fromMs` to before `toMs`.
 */
export type Fault = FaultSpan &
  (
    | /** The venue sends nothing on these channels, and nothing says why. */ { readonly kind: 'silence'; readonly channels: readonly DataChannel[] }
    | /** Messages of a channel are lost: a gap, then a resync. */ { readonly kind: 'channel_gap'; readonly channel: DataChannel }
    | /** The connection is lost and comes back: a gap of all channels. */ { readonly kind: 'disconnect' }
    | /** The venue reports these channels only, from one `connected` to the next. */
      { readonly kind: 'limited_venue'; readonly channels: readonly DataChannel[] }
    | /** One pass of a recording ends at `fromMs`, the next begins at `toMs`. */ { readonly kind: 'seam' }
    | /** The feed itself is down: no entry at all, ticks included. */ { readonly kind: 'feed_down' }
    | /** A share of trades and books comes later than its window waits. */
      { readonly kind: 'stall'; readonly share: number; readonly delayMs: number }
    | /** A share of books, trades and liquidations is sent a second time. */ { readonly kind: 'repeats'; readonly share: number }
    | /** The venue names no liquidations; they are inferred from trades. */ { readonly kind: 'inferred_liquidations' }
  );

interface FaultSpan {
  readonly fromMs: number;
  readonly toMs: number;
}
