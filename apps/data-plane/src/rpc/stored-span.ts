import type { marketData } from '@market-state/contracts';
import { type Fault, invalidArgument } from '@market-state/errors';
import type { Channel } from '@market-state/market-data';
import { instantFaults, symbolFaults } from '@market-state/request-checks';
import { readRecorded } from '../store/recorded';
import { readRetention } from '../store/retention';
import type { RowWindow } from '../store/row-window';
import { keptFromMs, refuseBeyondRetention, settledInstant } from '../window/kept-from';
import { spanFaults } from '../window/window-request';
import type { RpcDeps } from './deps';
import { refuseUnserved } from './served';
import { fromProtoChannel } from '@market-state/live-market';

const SPAN_MS_MAX = 31 * 86_400_000;

/** What the requests for stored rows of one channel have in common. */
type SpanRequest = Pick<marketData.PlanSpanRequest, 'symbol' | 'channel' | 'startMs' | 'endMs' | 'asOfMs'>;

/** A span of one channel that is there to be read. */
export interface StoredSpan {
  readonly channel: Channel;
  /** As of a settled instant, up to the last entry recorded. */
  readonly window: RowWindow;
  /** From where on the channel is kept, exchange time. */
  readonly keptFromMs: number;
}

/**
 * Finds out what a span is read as of. `more`: faults of the request's other fields.
 * @throws ServiceError INVALID_ARGUMENT with every fault, NOT_FOUND for a symbol not served, FAILED_PRECONDITION `beyond_retention`; else
 * as `storeFailure` says
 */
export async function openStoredSpan(deps: RpcDeps, request: SpanRequest, more: readonly Fault[] = []): Promise<StoredSpan> {
  const { symbol, startMs, endMs } = request;
  const channel = fromProtoChannel(request.channel);
  const faults = [
    ...symbolFaults(symbol),
    ...(channel === undefined ? [{ field: 'channel', message: 'must be a channel', type: 'unknown_value' }] : []),
    ...spanFaults(startMs, endMs, SPAN_MS_MAX),
    ...instantFaults('as_of_ms', request.asOfMs),
    ...more,
  ];
  if (faults.length > 0 || channel === undefined) throw invalidArgument(faults);
  refuseUnserved(deps, symbol);
  const [recorded, retention] = await Promise.all([readRecorded(deps.pool, symbol), readRetention(deps.pool)]);
  refuseBeyondRetention(request, recorded, retention, [channel]);
  const asOfMs = settledInstant(recorded, request.asOfMs);
  return {
    channel,
    window: { symbol, channels: [channel], startMs, endMs, asOfMs, toOrdinal: recorded.ordinal },
    keptFromMs: keptFromMs(recorded, retention, [channel]),
  };
}
