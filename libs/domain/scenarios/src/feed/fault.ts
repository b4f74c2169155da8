import type { Channel } from '@market-state/market-data';
import type { MarketMessage } from '../market/message';
import type { Random } from '../random';

export type DataChannel = Exclude<Channel, 'control'>;

interface FaultSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

interface Silence extends FaultSpan {
  readonly kind: 'silence';
  readonly channels: readonly DataChannel[];
}

interface ChannelGap extends FaultSpan {
  readonly kind: 'channel_gap';
  readonly channel: DataChannel;
}

interface Disconnect extends FaultSpan {
  readonly kind: 'disconnect';
}

interface LimitedVenue extends FaultSpan {
  readonly kind: 'limited_venue';
  readonly channels: readonly DataChannel[];
}

/** A recording pass ends at `fromMs`; the next starts at `toMs`. */
interface Seam extends FaultSpan {
  readonly kind: 'seam';
}

/** The feed is down: no entries, not even ticks. */
interface FeedDown extends FaultSpan {
  readonly kind: 'feed_down';
}

/** A share (0..1) of books and trades is delayed. */
interface Stall extends FaultSpan {
  readonly kind: 'stall';
  readonly share: number;
  readonly delayMs: number;
}

/** A share (0..1) of books, trades and liquidations is sent twice. */
interface Repeats extends FaultSpan {
  readonly kind: 'repeats';
  readonly share: number;
}

/** The venue reports no liquidations; they are inferred from trades. */
interface InferredLiquidations extends FaultSpan {
  readonly kind: 'inferred_liquidations';
}

/** In [fromMs, toMs) from the segment's start, in multiples of 250. */
export type Fault = Silence | ChannelGap | Disconnect | LimitedVenue | Seam | FeedDown | Stall | Repeats | InferredLiquidations;

export type PlacedFault = Fault & { readonly startMs: number; readonly endMs: number };

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

/** True if the start of the fault also loses messages in flight. */
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

export function stallMs(random: Random, faults: readonly Fault[], { kind }: MarketMessage): number {
  if (kind !== 'book' && kind !== 'trade') return 0;
  for (const fault of faults) if (fault.kind === 'stall' && random.chance(fault.share)) return fault.delayMs;
  return 0;
}

export function repeats(random: Random, faults: readonly Fault[], { kind }: MarketMessage): boolean {
  return kind !== 'context' && faults.some((fault) => fault.kind === 'repeats' && random.chance(fault.share));
}
