import type { ServerResponse, IncomingMessage } from 'node:http';
import { unavailable } from '@market-state/errors';
import type { Metrics } from '@market-state/telemetry';
import { Gauge } from 'prom-client';
import { credentialOf } from './auth/authorise';
import type { KeyGuard } from './auth/key-guard';
import { Problem } from './errors/problem';
import type { FileAnswer, ByteRange } from './answers/handler';
import { namesTag } from './http/representation';
import { SECURITY_HEADERS } from './http/security-headers';
import { chargeOnDelivery, onAnswerOver } from './http/request-lifetime';
import type { OpenCharge } from './metering/meter';
import type { Operation } from './openapi/operations';

/** A request that is answered by a file. */
interface FileRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  readonly operation: Operation;
  /** Null where the file is not metered. */
  readonly charge: OpenCharge | null;
  /** Further headers, name and value in turns. */
  readonly headers: readonly string[];
}

const ONE_RANGE = /^bytes=[ \t]*(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))[ \t]*$/i;

function unsatisfiable(sizeBytes: number): Problem {
  return new Problem('range_not_satisfiable', `No byte of the file is in this range: the file has ${sizeBytes} bytes.`, {
    headers: { 'Content-Range': `bytes */${sizeBytes}` },
  });
}

/**
 * The one range that is asked for; null for the whole file: without a range, for several at once, and for what is none (RFC 9110, 14.2).
 * @throws {Problem} 416 where no byte of the file is in it
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

/** Whether `If-Range` lets a range be sent: it is absent, or names the file's strong entity tag. A time never does: files have none. */
export function allowsRange(ifRange: string | undefined, tag: string): boolean {
  return ifRange === undefined || ifRange.trim() === tag;
}

/** What an answer begins with, and how long it is. */
interface AnswerHead {
  readonly status: number;
  /** Name and value in turns. */
  readonly head: readonly string[];
  readonly sizeBytes: number;
  /** Units that the call is charged by. */
  readonly observed: number | undefined;
}

/** Resolves when the reader has taken what was written, or the answer is over. */
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
 * Sends bytes as they come, the next only when the reader has taken the one before. Nothing is sent before the first has come, so that a
 * source that cannot be read is still an error answer. Throws when the source breaks or is not as long as it was said to be. When the
 * caller has gone or `stop` aborts, it returns with an answer that is not ended, to be destroyed.
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
      const isTaken = res.write(piece);
      if (isFirst && charge !== null) chargeOnDelivery(charge, req, res);
      if (!isTaken) await taken(res);
    }
    if (stop.signal.aborted) return;
    if (sentBytes !== sizeBytes)
      throw unavailable('upstream_unavailable', 'A file could not be read to its end.', {
        detail: `${sentBytes} bytes came of ${sizeBytes}`,
      });
    res.end();
  } finally {
    stopWatching();
  }
}

/** The files that this gateway is sending. */
export interface OpenFiles {
  /**
   * Answers with the file or the one range asked for; resolves when the answer has ended. Throws before anything is sent: what the file's
   * source throws, 416, and 503 when the gateway is sending as many as it may. A source that breaks later ends the connection, so that no
   * answer looks whole that is not.
   */
  serve(request: FileRequest, file: FileAnswer): Promise<void>;
}

interface OpenFilesDeps {
  readonly guard: KeyGuard;
  readonly metrics: Metrics;
}

/** Files sent at once by one gateway: each costs a few messages of memory. */
const FILES_MAX = 200;

function tagOfFile({ sha256 }: FileAnswer): string {
  return `"${sha256}"`;
}

/** Headers that a success and its 304 share, name and value in turns. */
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

/** Headers of the file itself. The digest is that of the whole file, whatever part is sent. */
function fileHeaders({ name, contentType, sha256 }: FileAnswer): string[] {
  const digest = Buffer.from(sha256, 'hex').toString('base64');
  return [
    ...['Content-Type', contentType],
    ...['Content-Disposition', `attachment; filename="${name}"`],
    ...['Repr-Digest', `sha-256=:${digest}:`],
  ];
}

export function createOpenFiles({ guard, metrics }: OpenFilesDeps): OpenFiles {
  const sending = new Gauge({ name: 'files_sending', help: 'Files that are being sent.', registers: [metrics.registry] });
  let total = 0;

  function enter(): () => void {
    if (total >= FILES_MAX)
      throw new Problem('overloaded', 'This service has no room for another download; try again later. Nothing was charged.', {
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
