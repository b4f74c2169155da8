import type { IncomingMessage, ServerResponse } from 'node:http';
import { type OpenSpan, openSpan, recordSampled, type SpanAttributes } from '@market-state/tracing';
import { requestIdOr } from '@market-state/logging';
import type { Deprecation } from '../openapi/operations';

/** The request's id: the caller's own when it is sane. */
export function requestIdOf(req: IncomingMessage): string {
  const sent = req.headers['x-request-id'];
  return requestIdOr(typeof sent === 'string' ? sent : undefined);
}

/** A request by its route: what is asked for, and with what, is in no trace. */
interface TracedRequest {
  readonly method: string;
  /** Its template. */
  readonly route: string;
}

const titleOf = ({ method, route }: TracedRequest): string => `${method} ${route}`;
const attributesOf = ({ method, route }: TracedRequest): SpanAttributes => ({ 'http.request.method': method, 'http.route': route });

/** Begins the trace of a request. Callers are outside: whatever trace they name, and whether it is to be sent, is theirs. */
export function openRequestSpan(request: TracedRequest): OpenSpan {
  return openSpan(titleOf(request), { role: 'server', parent: null, attributes: attributesOf(request) });
}

/** Ends it with the status sent, as failed when the fault was ours. */
export function endRequestSpan(span: OpenSpan, status: number, fault: Error | undefined): void {
  span.set({ 'http.response.status_code': status });
  span.end(fault);
}

/** Records a request that was answered at once, from what is held here. */
export function recordReady(request: TracedRequest, status: number, startedMs: number): void {
  recordSampled('server', startedMs, () => ({
    title: titleOf(request),
    attributes: { ...attributesOf(request), 'http.response.status_code': status },
  }));
}

/**
 * Says on an answer, whatever it will be, that its operation is deprecated: `Deprecation` (RFC 9745), `Link`, and `Sunset` (RFC 8594) where
 * an end is decided.
 */
export function announceDeprecation(res: ServerResponse, deprecation: Deprecation | null): void {
  if (deprecation === null || res.headersSent) return;
  const { sinceMs, sunsetMs, link } = deprecation;
  res.setHeader('Deprecation', `@${sinceMs / 1_000}`);
  if (sunsetMs !== null) res.setHeader('Sunset', new Date(sunsetMs).toUTCString());
  res.setHeader('Link', `<${link}>; rel="deprecation"; type="text/html"`);
}

/**
 * Calls back once, when an answer has ended, sent or not: at once where its connection is closed already. Node says nothing of an answer
 * that waits behind another when their connection closes, so the connection is listened to as well. Gives the way to stop it.
 */
export function onAnswerOver(res: ServerResponse, listener: () => void): () => void {
  const { socket } = res.req;
  const stop = (): void => {
    res.off('close', over);
    socket.off('close', over);
  };
  const over = (): void => {
    stop();
    listener();
  };
  if (res.closed || socket.closed) {
    listener();
    return stop;
  }
  // Of answers that wait their turn on one connection each listens.
  socket.setMaxListeners(0);
  res.once('close', over);
  socket.once('close', over);
  return stop;
}

/**
 * Whether the bytes of an answer that was just ended went to an open connection: true where the system has them all, false where the
 * connection cannot take them, null where that is still to come.
 */
export function deliveredAtOnce({ socket }: IncomingMessage, res: ServerResponse): boolean | null {
  if (!socket.writable) return false;
  return res.socket !== null && res.writableLength === 0 ? true : null;
}

/** Calls back once: when the rest of an answer has gone out, or when its connection ended first. */
export function onDelivery({ socket }: IncomingMessage, res: ServerResponse, done: (isDelivered: boolean) => void): void {
  const end = (isDelivered: boolean): void => {
    res.off('finish', onFinish);
    socket.off('close', onClose);
    done(isDelivered);
  };
  // Node finishes an answer too whose connection broke under it.
  const onFinish = (): void => end(!socket.destroyed && socket.errored === null);
  const onClose = (): void => end(false);
  res.once('finish', onFinish);
  // Of answers that wait their turn on one connection each listens.
  socket.setMaxListeners(0);
  socket.once('close', onClose);
}

/**
 * An answer that a caller takes for longer is charged all the same: its bytes go to an open connection, and its lease must go back in time.
 * Milliseconds.
 */
const TAKING_MS_MAX = 20_000;

/** A charge that was settled: exactly one of both ends it. */
interface SettledCharge {
  post(): void;
  cancel(): void;
}

/** Charges a settled call once its answer is out, and frees its credits where the connection ended first. */
export function chargeOnDelivery(charge: SettledCharge, req: IncomingMessage, res: ServerResponse): void {
  const isDelivered = deliveredAtOnce(req, res);
  if (isDelivered === true) charge.post();
  else if (isDelivered === false) charge.cancel();
  else {
    // Behind another answer none of its bytes could go out in all that time: the caller does without it, and nobody pays.
    const late = setTimeout(() => (res.socket === null ? req.socket.destroy() : charge.post()), TAKING_MS_MAX);
    late.unref();
    onDelivery(req, res, (isOut) => {
      clearTimeout(late);
      if (isOut) charge.post();
      else charge.cancel();
    });
  }
}
