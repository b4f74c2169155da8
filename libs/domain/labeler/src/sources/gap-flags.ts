import type { GapFlag } from '../read';
import type { CutChannel } from '../windows/cuts';
import type { GapSpan } from './gap-ledger';

/** What the gap flags read. */
export interface GapFlagInput {
  /** Spans that overlap the last 300 s. */
  readonly spans: readonly GapSpan[];
  /** No book was heard for longer than its staleness limit, some time in the last 300 s. */
  readonly bookSilent: boolean;
  /** The venue reports context, and the last one is past its limit. */
  readonly contextStale: boolean;
  /** Every liquidation in 300 s is a proxy, and there is one. */
  readonly liquidationProxyOnly: boolean;
  /** Reconnections and late events logged since the tick that closed window T − 300 s. */
  readonly reconnectTotal: number;
  readonly lateTotal: number;
}

/**
 * The flags that hold at T, in the order of the table; each looks back 300 s, but for `context_stale`, which is of T itself. Source: ours.
 */
export function gapFlags(input: GapFlagInput): readonly GapFlag[] {
  const flags: readonly (readonly [GapFlag, boolean])[] = [
    ['book_gap', input.bookSilent || touches(input.spans, 'book')],
    ['trade_gap', touches(input.spans, 'trade')],
    ['context_stale', input.contextStale],
    ['liquidation_proxy_only', input.liquidationProxyOnly],
    ['feed_reconnected', input.reconnectTotal > 0],
    ['recording_seam', input.spans.some((span) => span.seam)],
    ['late_events', input.lateTotal > 0],
  ];
  return flags.filter(([, holds]) => holds).map(([flag]) => flag);
}

function touches(spans: readonly GapSpan[], channel: CutChannel): boolean {
  return spans.some((span) => !span.seam && (span.channel === null || span.channel === channel));
}
