import type { IncomingMessage, ServerResponse } from 'node:http';
import { type OpenSpan, openSpan, recordSampled, type SpanAttributes } from '@market-state/tracing';
import { requestIdOr } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import { isIP, isIPv6 } from 'node:net';
import { createHmac, timingSafeEqual } from 'node:crypto';
import proxyAddr from 'proxy-addr';
import type { Deprecation } from '../openapi/operations';

/** The caller's own if well-formed. */
export function requestIdOf(req: IncomingMessage): string {
  const sent = req.headers['x-request-id'];
  return requestIdOr(typeof sent === 'string' ? sent : undefined);
}

/** Traces never contain parameters or bodies. */
interface TracedRequest {
  readonly method: string;
  readonly route: string;
}

const titleOf = ({ method, route }: TracedRequest): string => `${method} ${route}`;
const attributesOf = ({ method, route }: TracedRequest): SpanAttributes => ({ 'http.request.method': method, 'http.route': route });

/** The caller's trace context is untrusted and ignored. */
export function openRequestSpan(request: TracedRequest): OpenSpan {
  return openSpan(titleOf(request), { role: 'server', parent: null, attributes: attributesOf(request) });
}

/** Failed only if the error was ours. */
export function endRequestSpan(span: OpenSpan, status: number, fault: Error | undefined): void {
  span.set({ 'http.response.status_code': status });
  span.end(fault);
}

export function recordReady(request: TracedRequest, status: number, startedMs: number): void {
  recordSampled('server', startedMs, () => ({
    title: titleOf(request),
    attributes: { ...attributesOf(request), 'http.response.status_code': status },
  }));
}

/** In seconds. Series are looked up once, since labels cost more than the observation. */
export function durationsOf({ httpServer }: Pick<Metrics, 'httpServer'>, route: string) {
  const series = new Map<string, Map<number, { observe(seconds: number): void }>>();

  return (method: string, status: number, startedMs: number): void => {
    const byStatus = series.get(method) ?? new Map<number, { observe(seconds: number): void }>();
    if (byStatus.size === 0) series.set(method, byStatus);
    const known = byStatus.get(status) ?? httpServer.labels({ route, method, status: String(status) });
    byStatus.set(status, known);
    known.observe((performance.now() - startedMs) / 1_000);
  };
}

/** RFC 9745 and, if an end is set, RFC 8594. */
export function announceDeprecation(res: ServerResponse, deprecation: Deprecation | null): void {
  if (deprecation === null || res.headersSent) return;
  const { sinceMs, sunsetMs, link } = deprecation;
  res.setHeader('Deprecation', `@${sinceMs / 1_000}`);
  if (sunsetMs !== null) res.setHeader('Sunset', new Date(sunsetMs).toUTCString());
  res.setHeader('Link', `<${link}>; rel="deprecation"; type="text/html"`);
}

/**
 * Calls back once, immediately if already closed; returns the unsubscribe function. Listens to the connection too: Node
 * emits nothing for a pipelined answer queued behind another.
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
  socket.setMaxListeners(0);
  res.once('close', over);
  socket.once('close', over);
  return stop;
}

/** False if the connection cannot take the bytes, null if pending. */
export function deliveredAtOnce({ socket }: IncomingMessage, res: ServerResponse): boolean | null {
  if (!socket.writable) return false;
  return res.socket !== null && res.writableLength === 0 ? true : null;
}

export function onDelivery({ socket }: IncomingMessage, res: ServerResponse, done: (isDelivered: boolean) => void): void {
  const end = (isDelivered: boolean): void => {
    res.off('finish', onFinish);
    socket.off('close', onClose);
    done(isDelivered);
  };
  // Node also emits finish for an answer whose connection broke.
  const onFinish = (): void => end(!socket.destroyed && socket.errored === null);
  const onClose = (): void => end(false);
  res.once('finish', onFinish);
  socket.setMaxListeners(0);
  socket.once('close', onClose);
}

/** A slow reader is charged after this time, since its lease must be returned. Milliseconds. */
const TAKING_MS_MAX = 20_000;

interface SettledCharge {
  post(): void;
  cancel(): void;
}

/** Cancels the charge if the connection ended first. */
export function chargeOnDelivery(charge: SettledCharge, req: IncomingMessage, res: ServerResponse): void {
  const isDelivered = deliveredAtOnce(req, res);
  if (isDelivered === true) charge.post();
  else if (isDelivered === false) charge.cancel();
  else {
    // No byte went out: drop it without charge.
    const late = setTimeout(() => (res.socket === null ? req.socket.destroy() : charge.post()), TAKING_MS_MAX);
    late.unref();
    onDelivery(req, res, (isOut) => {
      clearTimeout(late);
      if (isOut) charge.post();
      else charge.cancel();
    });
  }
}

function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const parse = (part: string): number[] => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const before = parse(head);
  if (tail === undefined) return before;
  const after = parse(tail);
  return [...before, ...new Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0), ...after];
}

/** IPv4 as is, IPv6 by /64. */
export function addressBlock(address: string): string {
  return isIPv6(address)
    ? `${groupsOf(address)
        .slice(0, 4)
        .map((group) => group.toString(16))
        .join(':')}::/64`
    : address;
}

/** Set by the MCP server. */
const SIGNED_ADDRESS_HEADER = 'x-market-state-signed-address';

const LIFE_MS = 60_000;

const SHAPE = /^([\da-f.:]{2,45})\/(\d{1,16})\/([\w-]{43})$/i;

/** For calls that the MCP server makes on behalf of a caller. */
export interface AddressSigner {
  sign(address: string): string;
  /** Undefined if forged or expired. */
  read(signed: string): string | undefined;
}

export function createAddressSigner(secret: string, now: () => number): AddressSigner {
  const macOf = (address: string, expiresMs: number): Buffer =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['caller address', address, expiresMs]))
      .digest();
  return {
    sign(address) {
      const expiresMs = now() + LIFE_MS;
      return `${address}/${expiresMs}/${macOf(address, expiresMs).toString('base64url')}`;
    },
    read(signed) {
      const [, address = '', expires = '', mac = ''] = SHAPE.exec(signed) ?? [];
      const expiresMs = Number(expires);
      if (address === '' || now() >= expiresMs) return undefined;
      return timingSafeEqual(Buffer.from(mac, 'base64url'), macOf(address, expiresMs)) ? address : undefined;
    },
  };
}

export type AddressReader = (req: Pick<IncomingMessage, 'headers' | 'socket'>) => string;

/** Strips the IPv4-mapped prefix and the zone. */
export function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped ?? address.replace(/%.*$/, '');
}

export function isAddressBlock(text: string): boolean {
  const match = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text);
  const family = isIP(match?.[1] ?? '');
  return family !== 0 && Number(match?.[2] ?? 0) <= (family === 6 ? 128 : 32);
}

export type ProxyCheck = (address: string) => boolean;

export function createProxyCheck(trustedProxies: readonly string[]): ProxyCheck {
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  return (address) => isTrusted(address, 0);
}

/**
 * From the MCP server, the signed address. Behind trusted proxies, the last untrusted address of `X-Forwarded-For`;
 * earlier entries are unverified.
 */
export function createAddressReader(trustedProxies: readonly string[], signer: Pick<AddressSigner, 'read'>): AddressReader {
  const isProxy = createProxyCheck(trustedProxies);
  return ({ headers, socket }) => {
    const signed = headers[SIGNED_ADDRESS_HEADER];
    const known = typeof signed === 'string' ? signer.read(signed) : undefined;
    if (known !== undefined) return known;
    const connection = { remoteAddress: plainAddress(socket.remoteAddress ?? '') };
    const hops = proxyAddr.all({ headers, socket: connection } as IncomingMessage, isProxy).map(plainAddress);
    // A proxy that forwards no address counts as the caller.
    const invalid = hops.findIndex((hop) => isIP(hop) === 0);
    return hops.at(invalid === -1 ? -1 : invalid - 1) ?? '';
  };
}
