import type { Metrics } from '@market-state/telemetry';
import { Gauge } from 'prom-client';
import { credentialOf } from '../auth/credential';
import type { KeyGuard } from '../auth/key-guard';
import { Problem } from '../errors/problem';
import type { FileAnswer } from '../handlers/file-answer';
import { namesTag } from '../http/entity-tag';
import { SECURITY_HEADERS } from '../http/security-headers';
import { chargeOnDelivery } from '../metering/charge-on-delivery';
import { allowsRange, readRange } from './byte-range';
import type { FileRequest } from './file-request';
import { sendBytes } from './send-bytes';

/** The files that this gateway is sending. */
export interface OpenFiles {
  /**
   * Answers with the file or the one range asked for; resolves when the answer has ended. Throws before anything is sent: what the file's
   * source throws, 416, and 503 when the gateway is sending as many as it may. A source that breaks later ends the connection, so that no
   * answer looks whole that is not.
   */
  serve(request: FileRequest, file: FileAnswer): Promise<void>;
}

export interface OpenFilesDeps {
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
