import type { marketData } from '@market-state/contracts';
import { type ServiceError, toServiceError, unavailable } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import { backoffMs, delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { STREAM_LIMITS } from './limits';

export interface FollowRowsDeps {
  readonly rows: GrpcClient<marketData.MarketDataServiceService>;
  readonly logger: Logger;
}

type Message = marketData.StreamRowsResponse;

/** Errors that a new try would meet again. */
function isFinal(error: ServiceError): boolean {
  return error.code === 'NOT_FOUND' || error.code === 'INVALID_ARGUMENT' || error.code === 'FAILED_PRECONDITION' || error.code === 'UNIMPLEMENTED';
}

/** Where a stream stands after one more message. */
function placeAfter(place: marketData.LogPosition | undefined, { frame }: Message): marketData.LogPosition | undefined {
  switch (frame?.$case) {
    case 'head':
      return place ?? frame.value.after;
    case 'rows': {
      const last = frame.value.rows[frame.value.rows.length - 1];
      return last === undefined ? place : { epoch: last.epoch, ordinal: last.sequence, packetWindowEndMs: 0 };
    }
    case 'gap':
      return frame.value.place ?? place;
    default:
      return place;
  }
}

/**
 * Rows and gaps of a symbol after a place, or from now on, without an end. A stream that breaks is opened again after the
 * last message had, so that nothing is lost or repeated. Throws a ServiceError when the first opening fails, when the data
 * plane refuses to go on, and when nothing has come for `upstreamTriesMs`.
 */
export async function* followRows({ rows, logger }: FollowRowsDeps, symbol: string, after: marketData.LogPosition | undefined, signal: AbortSignal): AsyncGenerator<Message> {
  let place = after;
  let begun = false;
  let failures = 0;
  let heardMs = performance.now();
  while (!signal.aborted) {
    try {
      for await (const message of rows.call.streamRows({ symbol, after: place }, { signal })) {
        place = placeAfter(place, message);
        begun = true;
        failures = 0;
        yield message;
        heardMs = performance.now();
      }
      if (signal.aborted) return;
      throw unavailable('upstream_unavailable', 'The stream of rows ended.');
    } catch (thrown) {
      const error = toServiceError(thrown);
      if (!begun || isFinal(error) || performance.now() - heardMs > STREAM_LIMITS.upstreamTriesMs) throw error;
      failures += 1;
      logger.warn({ symbol, failures, reason: error.reason, detail: error.detail }, 'rows are not streamed; the stream is opened again after the last one');
      await delay(backoffMs(failures, { minMs: 50, maxMs: 2_000 }), signal).catch(() => undefined);
    }
  }
}

/** The first message, which says what is streamed. */
export async function readHead(messages: AsyncIterator<Message>): Promise<marketData.StreamHead> {
  const first = await messages.next();
  if (first.done !== true && first.value.frame?.$case === 'head') return first.value.frame.value;
  throw unavailable('upstream_unavailable', 'The stream of rows did not begin.', { detail: first.done === true ? 'it ended' : `first came ${first.value.frame?.$case}` });
}
