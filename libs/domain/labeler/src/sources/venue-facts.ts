import type { Channel, FeedStatusEvent, SourceKind } from '@market-state/market-data';
import type { PolicyNumbers } from '../policy/numbers';

export interface VenueFacts {
  readonly venue: string;
  readonly sourceKind: SourceKind;
  readonly channels: readonly Channel[];
  readonly bookStalenessMs: number;
  readonly tradeStalenessMs: number;
  readonly contextStalenessMs: number;
  readonly closingLagMs: number;
  readonly pass: number;
}

/** Each staleness limit is the larger of the policy's and the venue's. */
export function readVenueFacts(
  event: FeedStatusEvent,
  status: Extract<FeedStatusEvent['status'], { readonly type: 'connected' }>,
  numbers: PolicyNumbers,
): VenueFacts {
  return {
    venue: event.venue,
    sourceKind: status.sourceKind,
    channels: [...status.channels],
    bookStalenessMs: Math.max(numbers.staleness.book_ms, status.bookStalenessMs),
    tradeStalenessMs: Math.max(numbers.staleness.trade_ms, status.tradeStalenessMs),
    contextStalenessMs: Math.max(numbers.staleness.context_ms, status.contextStalenessMs),
    closingLagMs: status.closingLagMs,
    pass: event.pass,
  };
}
