import { IncomingMessage, ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http';
import { Socket } from 'node:net';
import fresh from 'fresh';
import helmet from 'helmet';
import Negotiator from 'negotiator';
import { type Encoding, ENCODINGS, JSON_TYPE, type Representation } from './representation';
import { type InvalidRequest, type Problem, problemBody } from '../errors/problem';

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** Lines of a head, checked and formatted once for many answers. */
export type HeadLines = string & { readonly [LINES]?: true };
declare const LINES: unique symbol;

/** @param headers alternating names and values */
function headLines(headers: readonly string[]): HeadLines {
  let lines = '';
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    validateHeaderName(name);
    validateHeaderValue(name, value);
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

/**
 * `res.writeHead` with prepared lines before the further headers. Node would check and format every header of every
 * answer again, which takes a tenth of the time of a read of `latest`; it has no public way to pass lines.
 * @param further alternating names and values; those that frame the body (Content-Length) must be among them
 */
export function writeHead(res: ServerResponse, status: number, prepared: HeadLines, further: readonly string[]): void {
  res.writeHead(status, further as string[]);
  const own = res as unknown as { _header: string };
  const head = own._header;
  const afterStatus = head.indexOf('\n') + 1;
  own._header = head.slice(0, afterStatus) + prepared + head.slice(afterStatus);
}

const ofSecurity = new WeakMap<readonly string[], HeadLines>();

function securityLines(headers: readonly string[]): HeadLines {
  const known = ofSecurity.get(headers);
  if (known !== undefined) return known;
  const made = headLines(headers);
  ofSecurity.set(headers, made);
  return made;
}

/** For clients that accept any encoding without naming zstd, which older ones cannot read. */
const WITHOUT_ZSTD = ENCODINGS.filter((encoding) => encoding !== 'zstd');

const COMPRESS_FROM_BYTES = 1_024;

const MEMO_SIZE = 256;
const cache = new Map<string, Encoding>();

/** The types of negotiator lack `preferred`, added in 1.0. */
interface EncodingNegotiator {
  encoding(available: readonly string[], options: { readonly preferred: readonly string[] }): string | undefined;
}

function negotiate(header: string): Encoding {
  const negotiator = new Negotiator({ headers: { 'accept-encoding': header } }) as unknown as EncodingNegotiator;
  const available = /\bzstd\b/i.test(header) ? ENCODINGS : WITHOUT_ZSTD;
  const chosen = negotiator.encoding(available, { preferred: available });
  return ENCODINGS.find((encoding) => encoding === chosen) ?? 'identity';
}

/** On a tie zstd if named, otherwise br. */
export function chooseEncoding(header: string | undefined, sizeBytes: number): Encoding {
  if (header === undefined || sizeBytes < COMPRESS_FROM_BYTES) return 'identity';
  const known = cache.get(header);
  if (known !== undefined) return known;
  const chosen = negotiate(header);
  if (cache.size >= MEMO_SIZE) cache.clear();
  cache.set(header, chosen);
  return chosen;
}

/** Strong entity tag of a body in one encoding. */
export function entityTag(tag: string, encoding: Encoding): string {
  return encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"`;
}

/** Matches the tag in any encoding. */
export function namesTag(header: string | undefined, tag: string): boolean {
  return header !== undefined && ENCODINGS.some((encoding) => fresh({ 'if-none-match': header }, { etag: entityTag(tag, encoding) }));
}

/** Prepared head of a body in one encoding. */
export interface ReadyHead {
  /** Strong entity tag. */
  readonly etag: string;
  /** Lines that 200 and 304 share. */
  readonly shared: HeadLines;
  /** Further headers of 200, as alternating names and values. */
  readonly ofBody: readonly string[];
}

const YEAR_SECONDS = 31_536_000;

type Directives = Readonly<Record<string, Iterable<string>>>;

const NOTHING: Directives = { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"], 'base-uri': ["'none'"], 'form-action': ["'none'"] };

const secure = (directives: Directives, resourcePolicy: 'same-origin' | 'cross-origin') =>
  helmet({
    contentSecurityPolicy: { useDefaults: false, directives },
    strictTransportSecurity: { maxAge: YEAR_SECONDS, includeSubDomains: true },
    crossOriginResourcePolicy: { policy: resourcePolicy },
    referrerPolicy: { policy: 'no-referrer' },
    // For pages, plug-ins and old browsers, which this API does not serve; every header costs every request.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });

/** For answers that load nothing. Alternating names and values. */
export const SECURITY_HEADERS: readonly string[] = readHelmet(NOTHING);

/** For answers that pages of other origins embed. */
export const EMBEDDED_SECURITY_HEADERS: readonly string[] = readHelmet(NOTHING, 'cross-origin');

/** Its own files and `data:` images; no trusted type can be created. */
export const DOCS_SECURITY_HEADERS: readonly string[] = readHelmet({
  ...NOTHING,
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'connect-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'require-trusted-types-for': ["'script'"],
  'trusted-types': ["'none'"],
});

/** Its own files and `data:` images; the only trusted types are those of `portal-worker`. */
export const PORTAL_SECURITY_HEADERS: readonly string[] = readHelmet({
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'connect-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'worker-src': ["'self'"],
  'manifest-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
  'require-trusted-types-for': ["'script'"],
  'trusted-types': ['portal-worker'],
});

function readHelmet(directives: Directives, resourcePolicy: 'same-origin' | 'cross-origin' = 'same-origin'): string[] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  let failure: unknown;
  secure(directives, resourcePolicy)(request, response, (error) => {
    failure = error;
  });
  if (failure !== undefined) throw failure;
  return response.getHeaderNames().flatMap((header) => [headerCase(header), String(response.getHeader(header))]);
}

function headerCase(header: string): string {
  return header.replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

export const NOT_CACHED = 'no-store';

export function readyHead(
  { tag, delivery, varies, contentType }: Representation,
  encoding: Encoding,
  sizeBytes: number,
  cacheControl = NOT_CACHED,
): ReadyHead {
  const etag = entityTag(tag, encoding);
  const shared = headLines([
    'Cache-Control',
    delivery?.cacheControl ?? cacheControl,
    'Vary',
    varies === undefined ? 'Accept-Encoding' : `Accept-Encoding, ${varies}`,
    'ETag',
    etag,
  ]);
  const ofBody = ['Content-Type', contentType, 'Content-Length', String(sizeBytes)];
  if (encoding !== 'identity') ofBody.push('Content-Encoding', encoding);
  return { etag, shared: securityLines(delivery?.security ?? SECURITY_HEADERS) + shared, ofBody };
}

/** 304 if the caller's copy is current. `furtherOf` returns more headers once the status is known. */
export async function sendRepresentation(
  req: IncomingMessage,
  res: ServerResponse,
  requestId: string,
  { status, cacheControl = NOT_CACHED }: { readonly status: number; readonly cacheControl?: string },
  representation: Representation,
  furtherOf: (status: number) => readonly string[] = () => [],
): Promise<void> {
  const plain = await representation.encoded('identity');
  const encoding = chooseEncoding(req.headers['accept-encoding'], plain.length);
  if (status === 200 && (req.method === 'GET' || req.method === 'HEAD') && namesTag(req.headers['if-none-match'], representation.tag)) {
    writeHead(res, 304, readyHead(representation, encoding, 0, cacheControl).shared, [...furtherOf(304), 'X-Request-Id', requestId]);
    res.end();
    return;
  }
  const body = encoding === 'identity' ? plain : await representation.encoded(encoding);
  const { shared, ofBody } = readyHead(representation, encoding, body.length, cacheControl);
  writeHead(res, status, shared, [...ofBody, ...furtherOf(status), 'X-Request-Id', requestId]);
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
  writeHead(res, status, securityLines(SECURITY_HEADERS), [
    'Cache-Control',
    NOT_CACHED,
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
