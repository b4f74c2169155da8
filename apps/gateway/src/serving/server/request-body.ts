import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { json, type Request, type Response } from 'express';
import { Problem } from '../errors/problem';
import { requestIdOf } from '../http/request-lifetime';
import { sendProblem } from '../http/send';

/** Waiting for 100. */
const awaitingContinue = new WeakSet<IncomingMessage>();

const refuseExpectation: RequestListener = (req, res) => {
  sendProblem(
    res,
    requestIdOf(req),
    new Problem('expectation_failed', 'Only Expect: 100-continue is supported.', { headers: { Connection: 'close' } }),
  );
};

/** Sends 100 only when the body is about to be read; refuses other expectations. */
export function meetExpectations(server: Server, listener: RequestListener, guarded: (listener: RequestListener) => RequestListener): void {
  const refuse = guarded(refuseExpectation);
  server.on('checkExpectation', refuse);
  // Node accepts `foo, 100-continue` as 100-continue.
  server.on('checkContinue', (req, res) => {
    if (req.headers.expect?.toLowerCase() !== '100-continue') {
      refuse(req, res);
      return;
    }
    awaitingContinue.add(req);
    listener(req, res);
  });
}

function letBodyCome(req: IncomingMessage, res: ServerResponse): void {
  if (awaitingContinue.delete(req)) res.writeContinue();
}

const BODY_BYTES_MAX = 65_536;
const JSON_MEDIA_TYPE = /^application\/json\s*(?:;|$)/i;

const bytesOf = new WeakMap<object, Buffer>();

const parseJson = json({
  limit: BODY_BYTES_MAX,
  strict: false,
  inflate: false,
  type: () => true,
  verify: (req, _res, bytes) => void bytesOf.set(req, bytes),
});

function hasBody(req: Request): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

function payloadTooLarge(): Problem {
  return new Problem('payload_too_large', 'The body is larger than 64 KiB.', { headers: { Connection: 'close' } });
}

function bodyProblem(error: unknown): Problem {
  const { type, status } = error as { type?: string; status?: number };
  if (type === 'entity.too.large') return payloadTooLarge();
  if (status === 415) return new Problem('unsupported_media_type', 'The body must be plain application/json in UTF-8, not compressed.');
  if (type === 'entity.parse.failed') return new Problem('malformed_json', 'The body is not valid JSON.');
  return new Problem('malformed_request', 'The body ended before it was complete.', { cause: error });
}

/**
 * Discards a body as it comes.
 * @throws {Problem} 413
 */
export function skipBody(req: Request, res: Response): void {
  if (Number(req.headers['content-length'] ?? 0) > BODY_BYTES_MAX) throw payloadTooLarge();
  letBodyCome(req, res);
  req.resume();
}

/**
 * Returns the raw bytes; undefined without a body.
 * @throws {Problem} 400, 413 or 415
 */
export async function readJsonBody(req: Request, res: Response): Promise<Buffer | undefined> {
  if (!hasBody(req)) return undefined;
  if (!JSON_MEDIA_TYPE.test(req.headers['content-type'] ?? '')) {
    throw new Problem('unsupported_media_type', 'The body must be application/json.');
  }
  if (Number(req.headers['content-length'] ?? 0) > BODY_BYTES_MAX) throw payloadTooLarge();
  letBodyCome(req, res);
  await new Promise<void>((resolve, reject) => {
    parseJson(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(bodyProblem(error))));
  });
  return bytesOf.get(req);
}
