import { GoneError, ProblemError, StreamEnded, TransportError } from '../errors';
import { pause } from '../call/deadline';
import { waitMs } from '../call/retry';
import type { Given } from '../call/request';
import type { Settings } from '../call/settings';
import type { Allowance } from './allowance';
import { readConnection } from './connection';
import type { ServerEvent } from './sse';
import type { HoleMessage, StreamId, StreamMessage } from './types';

/** What one symbol's stream is to be. */
export interface Following {
  readonly id: StreamId;
  readonly symbol: string;
  readonly query: Given;
  readonly resumeFrom: string | null;
  readonly silenceMs: number;
  readonly signal: AbortSignal | undefined;
  readonly allowance: Allowance;
  /** What fills a hole before the first message that comes after it. */
  readonly backfill?: (first: StreamMessage) => AsyncIterable<StreamMessage>;
}

/** Ends after which the same stream is opened again. */
const PASSING_ENDS: ReadonlySet<string> = new Set(['service_stopping', 'upstream_lost', 'key_unverified', 'metering_unavailable']);
const PASSING_STATUSES: ReadonlySet<number> = new Set([429, 503, 504]);
/** Connections in a row without a single message, after which the stream is given up. */
const FAILURES_MAX = 16;
/** Ids that are remembered, to drop what comes twice. */
const IDS_MAX = 4_096;

/** The messages of one symbol over as many connections as it takes: each goes on after the last message had. */
export async function* followStream(settings: Settings, following: Following): AsyncGenerator<StreamMessage, void, undefined> {
  const { id, symbol, query, allowance, silenceMs, signal } = following;
  const seen = createSeen();
  let after = following.resumeFrom;
  let fill: Following['backfill'];
  let failures = 0;

  for (;;) {
    const meter = allowance.connect();
    try {
      const opening = { id, query, after, maxCredits: allowance.left(), silenceMs, signal };
      for await (const event of readConnection(settings, opening)) {
        failures = 0;
        const message = messageOf(symbol, event);
        if (event.event === 'heartbeat') after = event.id || after;
        if (message === null) continue;
        if (message.type === 'end') {
          if (PASSING_ENDS.has(message.code)) break;
          yield { ...message, resumeId: message.resumeId ?? after };
          return;
        }
        if (event.id !== '' && !meter.take()) {
          yield { type: 'end', symbol, code: 'credits_exhausted', resumeId: after };
          return;
        }
        if (event.id !== '' && !seen.add(event.id)) continue;
        if (fill !== undefined && message.type === 'packet') {
          const filling = fill(message);
          fill = undefined;
          yield* filling;
        }
        if (event.id !== '') after = event.id;
        yield message;
      }
      failures += 1;
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      if (error instanceof GoneError && after !== null) {
        yield { type: 'hole', symbol, afterId: after, oldestUtc: error.oldestUtc } satisfies HoleMessage;
        after = null;
        fill = following.backfill;
        continue;
      }
      failures += 1;
      if (!isPassing(error)) throw after === null && failures === 1 ? error : new StreamEnded(codeOf(error), after, error);
      if (failures > FAILURES_MAX) throw new StreamEnded(codeOf(error), after, error);
      await pause(Math.max(waitAsked(error), waitMs(failures, settings.random)), signal);
      continue;
    }
    if (failures > FAILURES_MAX) throw new StreamEnded('connection_lost', after, undefined);
    await pause(waitMs(failures, settings.random), signal);
  }
}

/** What a later connection may not have. A message that is no JSON was changed on the way. */
function isPassing(error: unknown): boolean {
  return (
    error instanceof TransportError || error instanceof SyntaxError || (error instanceof ProblemError && PASSING_STATUSES.has(error.status))
  );
}

function waitAsked(error: unknown): number {
  return error instanceof ProblemError ? (error.retryAfterMs ?? 0) : 0;
}

function codeOf(error: unknown): string {
  return error instanceof ProblemError && error.code !== '' ? error.code : 'connection_lost';
}

/** The message of an event; null for one that says nothing, or that this version does not know. */
function messageOf(symbol: string, { event, id, data }: ServerEvent): StreamMessage | null {
  switch (event) {
    case 'packet':
    case 'row':
    case 'gap':
      return { type: event, symbol, id, data: JSON.parse(data) } as StreamMessage;
    case 'skipped':
    case 'plan':
    case 'receipt':
      return { type: event, symbol, data: JSON.parse(data) } as StreamMessage;
    case 'end': {
      const { code, resume_id: resumeId } = JSON.parse(data) as { readonly code: string; readonly resume_id: string | null };
      return { type: 'end', symbol, code, resumeId };
    }
    default:
      return null;
  }
}

/** The last ids had. */
function createSeen(): { add(id: string): boolean } {
  const ids = new Set<string>();
  return {
    add(id) {
      if (ids.has(id)) return false;
      ids.add(id);
      if (ids.size > IDS_MAX) ids.delete(ids.values().next().value as string);
      return true;
    },
  };
}
