import type { ServerResponse } from 'node:http';
import type { Request } from 'express';
import { type WebSocket, WebSocketServer } from 'ws';
import { Problem } from '../serving/errors/problem';
import { onAnswerOver } from '../serving/http/request-lifetime';
import { SECURITY_HEADERS } from '../serving/http/send';
import { toTextMessages } from './frame';
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

/** Limit on memory for a message from the reader, although none is accepted. */
const PAYLOAD_BYTES_MAX = 1_024;

/** A reader that answers none of these and takes no bytes is cut at the next heartbeat. */
const UNANSWERED_PINGS_MAX = 4;

const NORMAL = 1_000;
const GOING_AWAY = 1_001;
const POLICY_VIOLATION = 1_008;
const TRY_AGAIN_LATER = 1_013;

const CLOSE_CODES: Readonly<Record<EndCode, number>> = {
  complete: NORMAL,
  partial: NORMAL,
  service_stopping: GOING_AWAY,
  key_revoked: POLICY_VIOLATION,
  credits_exhausted: POLICY_VIOLATION,
  key_unverified: TRY_AGAIN_LATER,
  upstream_lost: TRY_AGAIN_LATER,
  metering_unavailable: TRY_AGAIN_LATER,
};

/**
 * Answers a checked handshake with 101.
 * @returns null if the connection broke before
 */
export function openWebSocket(res: ServerResponse, requestId: string, headers: readonly string[]): StreamTransport | null {
  const { req } = res;
  const { socket } = req;
  // No protocol is offered, so a list of them, even a malformed one, does not matter.
  delete req.headers['sec-websocket-protocol'];
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: PAYLOAD_BYTES_MAX,
  });
  const sent = [...SECURITY_HEADERS, ...Object.entries(res.getHeaders()).flat().map(String), ...headers, 'X-Request-Id', requestId];
  server.on('headers', (lines) => {
    for (let at = 0; at < sent.length; at += 2) lines.push(`${sent[at]}: ${sent[at + 1]}`);
  });
  let opened: WebSocket | undefined;
  server.handleUpgrade(req, socket, Buffer.alloc(0), (ws) => (opened = ws));
  if (opened === undefined) return null;
  // Never sent: it marks the request as answered.
  res.writeHead(101);
  return transportOf(opened, res);
}

function transportOf(ws: WebSocket, res: ServerResponse): StreamTransport {
  const { socket } = res.req;
  let unanswered = 0;
  const answered = (): void => void (unanswered = 0);
  // `ws` closes the connection itself.
  ws.on('error', () => undefined);
  ws.on('message', () => ws.close(POLICY_VIOLATION, 'A stream takes no messages.'));
  ws.on('pong', answered);
  socket.on('drain', answered);

  function write(messages: Buffer): boolean {
    socket.cork();
    for (const message of toTextMessages(messages)) ws.send(message);
    socket.uncork();
    return !socket.writableNeedDrain;
  }

  return {
    write,
    heartbeat(message) {
      if (unanswered === UNANSWERED_PINGS_MAX) {
        ws.terminate();
        return false;
      }
      unanswered += 1;
      ws.ping();
      return write(message);
    },
    end(message, code) {
      write(message);
      ws.close(CLOSE_CODES[code], code);
    },
    isOpen: () => ws.readyState === ws.OPEN,
    onDrain: (listener) => void socket.on('drain', listener),
    onOver: (listener) => onAnswerOver(res, listener),
    destroy: () => ws.terminate(),
  };
}

const VERSION = '13';

const KEY = /^[+/0-9A-Za-z]{22}==$/;

const RESUME = /([?&])last_event_id=([^&]*)(&|$)/;

/** `WebSocket` in a browser can send no header. The URL takes precedence; a second occurrence is left to validation. */
function takeLastEventId(req: Request): void {
  const [whole, before = '', id = '', after = ''] = RESUME.exec(req.originalUrl) ?? [];
  if (whole === undefined) return;
  req.originalUrl = req.originalUrl.replace(whole, after === '' ? '' : before);
  req.headers['last-event-id'] = decoded(id);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Moves `last_event_id` from the URL to the header of server-sent events. Null for a handshake that `ws` would accept. */
export function readHandshake(req: Request): Problem | null {
  const { 'sec-websocket-key': key = '', 'sec-websocket-version': version } = req.headers;
  const fault =
    version !== VERSION
      ? `Sec-WebSocket-Version must be ${VERSION}.`
      : !KEY.test(key)
        ? 'Sec-WebSocket-Key must be 16 bytes in base64.'
        : null;
  if (fault !== null) return new Problem('malformed_request', fault, { headers: { 'Sec-WebSocket-Version': VERSION } });
  takeLastEventId(req);
  return null;
}
