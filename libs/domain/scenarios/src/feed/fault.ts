import type { Channel } from '@market-state/market-data';
import type { MarketMessage } from '../market/message';
import type { Random } from '../random/random';

/** Channels that carry data. */
export type DataChannel = Exclude<Channel, 'control'>;

interface FaultSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The venue sends nothing on these channels, and nothing says why. */
interface Silence extends FaultSpan {
  readonly kind: 'silence';
  readonly channels: readonly DataChannel[];
}

/** Messages of a channel are lost: a gap, then a resync. */
interface ChannelGap extends FaultSpan {
  readonly kind: 'channel_gap';
  readonly channel: DataChannel;
}

/** The connection is lost and comes back: a gap of all channels. */
interface Disconnect extends FaultSpan {
  readonly kind: 'disconnect';
}

/** The venue reports these channels only, from one `connected` to the next. */
interface LimitedVenue extends FaultSpan {
  readonly kind: 'limited_venue';
  readonly channels: readonly DataChannel[];
}

/** One pass of a recording ends at `fromMs`, the next begins at `toMs`. */
interface Seam extends FaultSpan {
  readonly kind: 'seam';
}

/** The feed itself is down: no entry at all, ticks included. */
interface FeedDown extends FaultSpan {
  readonly kind: 'feed_down';
}

/** A share (0..1) of books and trades comes this much later. */
interface Stall extends FaultSpan {
  readonly kind: 'stall';
  readonly share: number;
  readonly delayMs: number;
}

/** A share (0..1) of books, trades and liquidations is sent a second time. */
interface Repeats extends FaultSpan {
  readonly kind: 'repeats';
  readonly share: number;
}

/** The venue names no liquidations; they are inferred from its trades. */
interface InferredLiquidations extends FaultSpan {
  readonly kind: 'inferred_liquidations';
}

/**
 * What goes wrong between the venue and the log, from `fromMs` to before `toMs`: milliseconds from the start of the segment, multiples of
 * 250. What the feed itself notices begins after 0.
 */
export type Fault = Silence | ChannelGap | Disconnect | LimitedVenue | Seam | FeedDown | Stall | Repeats | InferredLiquidations;

/** A fault on the clock, milliseconds since the epoch. */
export type PlacedFault = Fault & { readonly startMs: number; readonly endMs: number };

/** Whether a message sent under the fault never comes through. */
export function loses(fault: Fault, { kind }: MarketMessage): boolean {
  switch (fault.kind) {
    case 'silence':
      return fault.channels.includes(kind);
    case 'channel_gap':
      return fault.channel === kind;
    case 'limited_venue':
      return !fault.channels.includes(kind);
    case 'disconnect':
    case 'feed_down':
    case 'seam':
      return true;
    case 'stall':
    case 'repeats':
    case 'inferred_liquidations':
      return false;
  }
}

/** Whether the fault, as it begins, takes what is on its way with it. */
export function losesOnItsWay(fault: Fault, { kind }: MarketMessage): boolean {
  switch (fault.kind) {
    case 'channel_gap':
      return fault.channel === kind;
    case 'disconnect':
    case 'feed_down':
    case 'seam':
      return true;
    case 'silence':
    case 'limited_venue':
    case 'stall':
    case 'repeats':
    case 'inferred_liquidations':
      return false;
  }
}

/** How much longer the message takes. */
export function stallMs(random: Random, faults: readonly Fault[], { kind }: MarketMessage): number {
  if (kind !== 'book' && kind !== 'trade') return 0;
  for (const fault of faults) if (fault.kind === 'stall' && random.chance(fault.share)) return fault.delayMs;
  return 0;
}

/** Whether the message is sent a second time. */
export function repeats(random: Random, faults: readonly Fault[], { kind }: MarketMessage): boolean {
  return kind !== 'context' && faults.some((fault) => fault.kind === 'repeats' && random.chance(fault.share));
}
