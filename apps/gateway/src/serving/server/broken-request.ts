import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { endConnection } from './end-connection';
import { type ProblemCode, PROBLEMS } from '@market-state/errors';
import { Problem, problemBody } from '../errors/problem';
import { PROBLEM_TYPE } from '../http/send';
import { SECURITY_HEADERS } from '../http/security-headers';

/** What a request that Node could not read is told. */
function brokenRequestCode(error: NodeJS.ErrnoException): ProblemCode {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  return 'malformed_request';
}

/** Connections that have their last answer: what still comes on them is broken too. */
const refused = new WeakSet<Duplex>();

/** Whether the head of another answer is out, so that what is written next would be read as a part of it. */
function isAnswering(socket: Duplex): boolean {
  return (socket as Duplex & { readonly _httpMessage?: ServerResponse | null })._httpMessage?.headersSent === true;
}

/**
 * Answers a request that never became one, straight on its connection, with the error object. The connection is destroyed within a second.
 */
export function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (refused.has(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  refused.add(socket);
  const code = brokenRequestCode(error);
  const { status, title } = PROBLEMS[code];
  const requestId = randomUUID();
  const body = problemBody(new Problem(code, `${title}.`), requestId);
  const headers = [
    ...SECURITY_HEADERS,
    'Cache-Control',
    'no-store',
    'Content-Type',
    PROBLEM_TYPE,
    'Content-Length',
    String(Buffer.byteLength(body)),
    'X-Request-Id',
    requestId,
    'Connection',
    'close',
  ];
  const lines = headers.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${headers[index + 1]}\r\n`] : []));
  endConnection(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}
