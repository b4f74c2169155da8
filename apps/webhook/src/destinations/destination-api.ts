import type { SendResult } from '@market-state/guarded-http';
import type { Notice } from './notice';

/** Where and how to send. */
export interface Target {
  readonly endpointId: string;
  /** Public address; the whole address of an API, or the masked one of a hook. */
  readonly url: string;
  readonly chatId: string;
  /** Secret URL of a hook, token or key. */
  readonly credential: string;
}

export interface ComposedRequest {
  readonly url: string;
  readonly body: object;
}

/** Meaning of an answer that is not a success. */
export interface Refusal {
  /** Plain sentence for the owner of the destination. */
  readonly explanation: string;
  /**
   * `message`: this message is refused and is not tried again. `destination`: nothing sent there is accepted any more.
   * Absent: worth another attempt.
   */
  readonly isFinal?: 'message' | 'destination';
  /** The destination accepts nothing before this time has passed. */
  readonly pauseMs?: number;
}

/** Request form and answers of a destination's API. */
export interface DestinationApi {
  compose(notices: readonly Notice[], target: Target): ComposedRequest;
  /** @param answer with a status other than 2xx */
  refusalOf(answer: SendResult): Refusal;
}

/** Fields of a JSON answer; empty unless it is an object. Answers longer than 1 KiB are cut and cannot be read. */
export function fieldsOf({ snippet }: SendResult): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(snippet);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

const PAUSE_MS = 30_000;

/** @param seconds from the answer's body; otherwise `Retry-After`, otherwise 30 s */
export function rateLimited(service: string, { retryAfterSeconds }: SendResult, seconds?: unknown): Refusal {
  const wait = typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds : retryAfterSeconds;
  const pauseMs = wait === undefined ? PAUSE_MS : Math.ceil(wait * 1_000);
  return { explanation: `${service} accepts no more messages for ${Math.ceil(pauseMs / 1_000)} s (rate limit)`, pauseMs };
}

export function unexpected(service: string, { status = 0 }: SendResult): Refusal {
  return { explanation: `${service} answered with status ${status}; the message is sent again later` };
}
