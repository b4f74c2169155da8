import { randomUUID } from 'node:crypto';
import { type RequestListener, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Problem, problemBody, type ProblemCode, PROBLEMS } from './problem';
import { requestIdOf } from './request-id';
import { PROBLEM_TYPE, sendProblem } from './send';
import { SECURITY_HEADERS } from './security-headers';

/** What a request that Node could not read is told. */
function brokenRequestCode(error: NodeJS.ErrnoException): ProblemCode {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  return 'malformed_request';
}

/** Answers a request that never became one, straight on its connection, with the error object. */
export function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = brokenRequestCode(error);
  const { status, title } = PROBLEMS[code];
  const requestId = randomUUID();
  const body = problemBody(new Problem(code, `${title}.`), requestId);
  const headers = [...SECURITY_HEADERS, 'Cache-Control', 'no-store', 'Content-Type', PROBLEM_TYPE, 'Content-Length', String(Buffer.byteLength(body)), 'X-Request-Id', requestId, 'Connection', 'close'];
  const lines = headers.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${headers[index + 1]}\r\n`] : []));
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}

/** Refuses an HTTP/1.1 request without Host, which the protocol does not allow, as every other fault is told. */
export function requireHost(listener: RequestListener): RequestListener {
  return (req, res) => {
    if (req.headers.host === undefined && req.httpVersion === '1.1') {
      sendProblem(res, requestIdOf(req), new Problem('malformed_request', 'A request needs the header Host.', { headers: { Connection: 'close' } }));
    } else {
      listener(req, res);
    }
  };
}
