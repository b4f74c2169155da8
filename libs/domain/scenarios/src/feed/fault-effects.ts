import type { MarketMessage } from '../market/message';
import type { Random } from '../random/random';
import type { Fault } from './fault';

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
