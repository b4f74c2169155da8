import type { ServerResponse } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { onAnswerOver } from '../serving/http/request-lifetime';
import { SECURITY_HEADERS } from '../serving/http/security-headers';
import { toTextMessages } from './frame';
import type { EndCode, StreamTransport } from './transport';

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
