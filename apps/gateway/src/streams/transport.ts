import type { ServerResponse } from 'node:http';
import { onAnswerOver } from '../serving/http/request-lifetime';
import { SECURITY_HEADERS } from '../serving/http/security-headers';
import { STREAM_LIMITS } from './limits';

export const END_CODES = [
  'complete',
  'partial',
  'service_stopping',
  'key_revoked',
  'key_unverified',
  'upstream_lost',
  'credits_exhausted',
  'metering_unavailable',
] as const;

export type EndCode = (typeof END_CODES)[number];

/** Carries messages, rendered as server-sent events, to one reader. */
export interface StreamTransport {
  /** False if the reader has to catch up first; `onDrain` follows. */
  write(messages: Buffer): boolean;
  /** Writes a heartbeat. */
  heartbeat(message: Buffer): boolean;
  /** Writes the last message and closes; `onOver` follows. */
  end(message: Buffer, code: EndCode): void;
  /** False once the reader takes nothing more. */
  isOpen(): boolean;
  onDrain(listener: () => void): void;
  /** Calls back once, immediately if already over; returns the unsubscribe function. */
  onOver(listener: () => void): () => void;
  destroy(): void;
}

const STREAM_HEADERS = [
  'Cache-Control',
  'no-store, no-transform',
  'Content-Type',
  'text/event-stream; charset=utf-8',
  'X-Accel-Buffering',
  'no',
] as const;

/** Keeps the connection open and disables proxy buffering. */
export function writeStreamHead(res: ServerResponse, requestId: string, further: readonly string[]): void {
  res.writeHead(200, [...SECURITY_HEADERS, ...STREAM_HEADERS, ...further, 'X-Request-Id', requestId]);
}

export function openEventStream(res: ServerResponse, requestId: string, headers: readonly string[]): StreamTransport {
  writeStreamHead(res, requestId, headers);
  res.write(`retry: ${STREAM_LIMITS.retryMs}\n\n`);
  const write = (messages: Buffer): boolean => res.write(messages);
  return {
    write,
    heartbeat: write,
    end: (message) => void res.end(message),
    isOpen: () => res.req.socket.writable,
    onDrain: (listener) => void res.on('drain', listener),
    onOver: (listener) => onAnswerOver(res, listener),
    destroy: () => void res.req.socket.destroy(),
  };
}
