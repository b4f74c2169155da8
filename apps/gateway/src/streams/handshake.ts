import type { Request } from 'express';
import { Problem } from '../serving/errors/problem';

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
