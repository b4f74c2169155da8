import type { ServerResponse, IncomingMessage } from 'node:http';
import { unavailable } from '@market-state/errors';
import type { Metrics } from '@market-state/telemetry';
import { Gauge } from 'prom-client';
import { credentialOf } from './auth/authorise';
import type { KeyGuard } from './auth/key-guard';
import { Problem } from './errors/problem';
import type { FileAnswer, ByteRange } from './answers/handler';
import { namesTag, SECURITY_HEADERS } from './http/send';
import { chargeOnDelivery, onAnswerOver } from './http/request-lifetime';
import type { OpenCharge } from './metering/meter';
import type { Operation } from './openapi/operations';

interface FileRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  readonly operation: Operation;
  readonly charge: OpenCharge | null;
  readonly headers: readonly string[];
}

const ONE_RANGE = /^bytes=[ \t]*(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))[ \t]*$/i;

function unsatisfiable(sizeBytes: number): Problem {
  return new Problem('range_not_satisfiable', `The range is outside the file, which has ${sizeBytes} bytes.`, {
    headers: { 'Content-Range': `bytes */${sizeBytes}` },
  });
}

/**
 * Null for the whole file: no range, several, or an invalid one (RFC 9110, 14.2).
 * @throws {Problem} 416 outside the file
 */
export function readRange(header: string | undefined, sizeBytes: number): ByteRange | null {
  const match = ONE_RANGE.exec(header ?? '');
  if (match === null) return null;
  const [, first = '', last = '', suffix = ''] = match;
  const from = first === '' ? Math.max(0, sizeBytes - Number(suffix)) : Number(first);
  const to = first === '' || last === '' ? sizeBytes : Math.min(sizeBytes, Number(last) + 1);
  if (first !== '' && last !== '' && Number(last) < from) return null;
  if (from >= sizeBytes) throw unsatisfiable(sizeBytes);
  return { from, to };
}

/** Dates never match: files have none. */
export function allowsRange(ifRange: string | undefined, tag: string): boolean {
  return ifRange === undefined || ifRange.trim() === tag;
}

interface AnswerHead {
  readonly status: number;
  readonly head: readonly string[];
  readonly sizeBytes: number;
  readonly observed: number | undefined;
}

/** Also resolves when the answer is over. */
function taken(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      res.off('drain', done);
      stopWatching();
      resolve();
    };
    let stopWatching = (): void => undefined;
    res.once('drain', done);
    stopWatching = onAnswerOver(res, done);
  });
}

/**
 * Sends the head with the first bytes, so that an unreadable source still yields an error answer. Throws if the source
 * fails or its length differs. Leaves the answer unfinished, to be destroyed, if the caller disconnects or `stop`
 * aborts.
 */
async function sendBytes(
  { req, res, requestId, charge, headers }: FileRequest,
  { status, head, sizeBytes, observed }: AnswerHead,
  bytes: AsyncIterable<Uint8Array>,
  stop: AbortController,
): Promise<void> {
  let sentBytes = 0;
  const stopWatching = onAnswerOver(res, () => stop.abort());
  try {
    for await (const piece of bytes) {
      if (stop.signal.aborted || !req.socket.writable) return;
      const isFirst = !res.headersSent;
      if (isFirst) res.writeHead(status, [...head, ...headers, ...(charge?.settle(observed, status) ?? []), 'X-Request-Id', requestId]);
      sentBytes += piece.length;
      if (sentBytes > sizeBytes) break;
      const isAccepted = res.write(piece);
      if (isFirst && charge !== null) chargeOnDelivery(charge, req, res);
      if (!isAccepted) await taken(res);
    }
    if (stop.signal.aborted) return;
    if (sentBytes !== sizeBytes)
      throw unavailable('upstream_unavailable', 'The file could not be read to its end.', {
        detail: `received ${sentBytes} of ${sizeBytes} bytes`,
      });
    res.end();
  } finally {
    stopWatching();
  }
}

export interface OpenFiles {
  /**
   * Resolves when the answer has ended. A source that fails midway closes the connection, so that no truncated answer
   * looks complete.
   * @throws {Problem} before anything is sent: 416, or 503 at the download limit; also the source's errors
   */
  serve(request: FileRequest, file: FileAnswer): Promise<void>;
}

interface OpenFilesDeps {
  readonly guard: KeyGuard;
  readonly metrics: Metrics;
}

/** Each costs a few messages of memory. */
const FILES_MAX = 200;

function tagOfFile({ sha256 }: FileAnswer): string {
  return `"${sha256}"`;
}

function sharedHeaders(file: FileAnswer): string[] {
  return [
    ...SECURITY_HEADERS,
    'Cache-Control',
    'no-store, no-transform',
    'ETag',
    tagOfFile(file),
    'Accept-Ranges',
    file.isWhole === true ? 'none' : 'bytes',
  ];
}

/** The digest covers the whole file even for a range. */
function fileHeaders({ name, contentType, sha256 }: FileAnswer): string[] {
  const digest = Buffer.from(sha256, 'hex').toString('base64');
  return [
    ...['Content-Type', contentType],
    ...['Content-Disposition', `attachment; filename="${name}"`],
    ...['Repr-Digest', `sha-256=:${digest}:`],
  ];
}

export function createOpenFiles({ guard, metrics }: OpenFilesDeps): OpenFiles {
  const sending = new Gauge({ name: 'files_sending', help: 'Files being sent.', registers: [metrics.registry] });
  let total = 0;

  function enter(): () => void {
    if (total >= FILES_MAX)
      throw new Problem('overloaded', 'Concurrent download limit reached. Retry later. Nothing was charged.', {
        headers: { 'Retry-After': '5' },
      });
    total += 1;
    sending.set(total);
    return () => {
      total -= 1;
      sending.set(total);
    };
  }

  function endHead(
    { req, res, requestId, charge, headers }: FileRequest,
    { observed }: FileAnswer,
    status: number,
    own: readonly string[],
  ): void {
    res.writeHead(status, [...own, ...headers, ...(charge?.settle(observed, status) ?? []), 'X-Request-Id', requestId]);
    res.end();
    if (charge !== null) chargeOnDelivery(charge, req, res);
  }

  return {
    async serve(request, file) {
      const { req, res, operation } = request;
      if (namesTag(req.headers['if-none-match'], file.sha256)) {
        endHead(request, file, 304, sharedHeaders(file));
        return;
      }
      const ranged = file.isWhole !== true && req.method === 'GET' && allowsRange(req.headers['if-range']?.toString(), tagOfFile(file));
      const range = ranged ? readRange(req.headers.range, file.sizeBytes) : null;
      const { from, to } = range ?? { from: 0, to: file.sizeBytes };
      const status = range === null ? 200 : 206;
      const head = [...sharedHeaders(file), ...fileHeaders(file), 'Content-Length', String(to - from)];
      if (range !== null) head.push('Content-Range', `bytes ${from}-${to - 1}/${file.sizeBytes}`);
      if (req.method === 'HEAD' || from === to) {
        endHead(request, file, status, head);
        return;
      }
      const leave = enter();
      const stop = new AbortController();
      const credential = credentialOf(req.headers, operation);
      const unwatch = credential === null ? undefined : guard.watch(credential, operation.scope, () => stop.abort());
      try {
        await sendBytes(
          request,
          { status, head, sizeBytes: to - from, observed: file.observed },
          file.read({ from, to }, stop.signal),
          stop,
        );
        if (!res.writableEnded) res.destroy();
      } finally {
        stop.abort();
        unwatch?.();
        leave();
        if (!res.headersSent) request.charge?.cancel();
      }
    },
  };
}
