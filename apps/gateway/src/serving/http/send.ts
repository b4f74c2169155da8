import type { IncomingMessage, ServerResponse } from 'node:http';
import { chooseEncoding, type Encoding, entityTag, namesTag, JSON_TYPE, type Representation } from './representation';
import { type InvalidRequest, type Problem, problemBody } from '../errors/problem';
import { SECURITY_HEADERS } from './security-headers';

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

function sharedHeaders({ tag, delivery, varies }: Representation, encoding: Encoding): string[] {
  return [
    ...(delivery?.security ?? SECURITY_HEADERS),
    'Cache-Control',
    delivery?.cacheControl ?? 'no-store',
    'Vary',
    varies === undefined ? 'Accept-Encoding' : `Accept-Encoding, ${varies}`,
    'ETag',
    entityTag(tag, encoding),
  ];
}

/** Without the request id, which goes last. */
export function successHeaders(representation: Representation, encoding: Encoding, sizeBytes: number): string[] {
  const headers = sharedHeaders(representation, encoding);
  headers.push('Content-Type', representation.contentType, 'Content-Length', String(sizeBytes));
  if (encoding !== 'identity') headers.push('Content-Encoding', encoding);
  return headers;
}

export function notModifiedHeaders(representation: Representation, encoding: Encoding): string[] {
  return sharedHeaders(representation, encoding);
}

/** 304 if the caller's copy is current. `furtherOf` returns more headers once the status is known. */
export async function sendRepresentation(
  req: IncomingMessage,
  res: ServerResponse,
  requestId: string,
  status: number,
  representation: Representation,
  furtherOf: (status: number) => readonly string[] = () => [],
): Promise<void> {
  const plain = await representation.encoded('identity');
  const encoding = chooseEncoding(req.headers['accept-encoding'], plain.length);
  if (status === 200 && (req.method === 'GET' || req.method === 'HEAD') && namesTag(req.headers['if-none-match'], representation.tag)) {
    res.writeHead(304, [...notModifiedHeaders(representation, encoding), ...furtherOf(304), 'X-Request-Id', requestId]);
    res.end();
    return;
  }
  const body = encoding === 'identity' ? plain : await representation.encoded(encoding);
  res.writeHead(status, [...successHeaders(representation, encoding, body.length), ...furtherOf(status), 'X-Request-Id', requestId]);
  res.end(body);
}

function sendText(
  res: ServerResponse,
  requestId: string,
  status: number,
  contentType: string,
  text: string,
  extra: readonly string[],
): void {
  const body = Buffer.from(text);
  res.writeHead(status, [
    ...SECURITY_HEADERS,
    'Cache-Control',
    'no-store',
    ...extra,
    'Content-Type',
    contentType,
    'Content-Length',
    String(body.length),
    'X-Request-Id',
    requestId,
  ]);
  res.end(body);
}

export function sendProblem(res: ServerResponse, requestId: string, problem: Problem, further: readonly string[] = []): void {
  sendText(res, requestId, problem.status, PROBLEM_TYPE, problemBody(problem, requestId), [
    ...Object.entries(problem.headers).flat(),
    ...further,
  ]);
}

export function sendFaults(
  res: ServerResponse,
  requestId: string,
  { faults, faultTotal }: InvalidRequest,
  further: readonly string[] = [],
): void {
  sendText(res, requestId, 422, JSON_TYPE, JSON.stringify({ detail: faults, fault_total: faultTotal }), further);
}

export function sendJson(res: ServerResponse, requestId: string, status: number, body: unknown): void {
  sendText(res, requestId, status, JSON_TYPE, JSON.stringify(body), []);
}
