import type { marketData } from '@market-state/contracts';
import { toServiceError, unavailable, type ServiceError } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import { backoffMs, delay } from '@market-state/lifecycle';
import { STREAM_LIMITS } from './limits';

interface Patience {
  /** Resets the retry time. */
  heard(): void;
  /** Throws the error if it is final, or after `upstreamTriesMs` of failed attempts. */
  beforeNextTry(error: ServiceError): Promise<void>;
}

function isFinal(error: ServiceError): boolean {
  return (
    error.code === 'NOT_FOUND' ||
    error.code === 'INVALID_ARGUMENT' ||
    error.code === 'FAILED_PRECONDITION' ||
    error.code === 'UNIMPLEMENTED'
  );
}

export function createPatience(signal: AbortSignal): Patience {
  let failures = 0;
  let brokenMs = 0;
  return {
    heard() {
      failures = 0;
    },
    async beforeNextTry(error) {
      if (failures === 0) brokenMs = performance.now();
      if (isFinal(error) || performance.now() - brokenMs > STREAM_LIMITS.upstreamTriesMs) throw error;
      await delay(backoffMs(failures, { minMs: 50, maxMs: 2_000 }), signal).catch(() => undefined);
      failures += 1;
    },
  };
}

export interface FollowRowsDeps {
  readonly rows: GrpcClient<marketData.MarketDataServiceService>;
  readonly logger: Logger;
}

type Message = marketData.StreamRowsResponse;

function positionAfter(position: marketData.LogPosition | undefined, { frame }: Message): marketData.LogPosition | undefined {
  switch (frame?.$case) {
    case 'head':
      return position ?? frame.value.after;
    case 'rows': {
      const last = frame.value.rows[frame.value.rows.length - 1];
      return last === undefined ? position : { epoch: last.epoch, ordinal: last.sequence, packetWindowEndMs: 0 };
    }
    case 'gap': {
      const { epoch, ordinal } = frame.value.place ?? position ?? { epoch: 0, ordinal: 0 };
      return { epoch, ordinal, packetWindowEndMs: 0 };
    }
    default:
      return position;
  }
}

/**
 * Endless rows and gaps after a position, or from now on. A broken stream is reopened after the last row, and repeats
 * `head` and the gaps after it.
 * @throws {ServiceError} if the first attempt fails, the data plane refuses, or nothing arrives for `upstreamTriesMs`
 */
export async function* followRows(
  { rows, logger }: FollowRowsDeps,
  symbol: string,
  after: marketData.LogPosition | undefined,
  signal: AbortSignal,
): AsyncGenerator<Message> {
  let position = after;
  let started = false;
  const patience = createPatience(signal);
  while (!signal.aborted) {
    try {
      for await (const message of rows.call.streamRows({ symbol, after: position }, { signal })) {
        position = positionAfter(position, message);
        started = true;
        yield message;
        patience.heard();
      }
      if (signal.aborted) return;
      throw unavailable('upstream_unavailable', 'The stream of rows ended.');
    } catch (thrown) {
      const error = toServiceError(thrown);
      if (!started) throw error;
      logger.warn({ symbol, reason: error.reason, detail: error.detail }, 'row stream broke; reopening it after the last row');
      await patience.beforeNextTry(error);
    }
  }
}

export async function readHead(messages: AsyncIterator<Message>): Promise<marketData.StreamHead> {
  const first = await messages.next();
  if (first.done !== true && first.value.frame?.$case === 'head') return first.value.frame.value;
  throw unavailable('upstream_unavailable', 'The stream of rows did not start.', {
    detail: first.done === true ? 'it ended' : `first frame is ${first.value.frame?.$case}`,
  });
}
