import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../http/problem';
import type { Operation } from '../openapi/operations';
import type { Grant } from './grant';

const JSON_MEDIA_TYPE = /^application\/json\s*(?:;|$)/i;

/** Calls without a credential that set a session. */
const OPENS_SESSION: ReadonlySet<string> = new Set(['logIn', 'claimAccount']);

/** Whether a call must prove that it comes from a page of this service: one that a cookie opened and that changes something, and those that set a cookie. */
export function needsSameOrigin({ method, operationId }: Pick<Operation, 'method' | 'operationId'>, grant: Grant | null): boolean {
  return OPENS_SESSION.has(operationId) || (grant?.kind === 'session' && method !== 'get');
}

/**
 * Refuses a call that another site may have made a browser send. @throws Problem `csrf_refused` unless its body is declared as JSON and the
 * browser says that it comes from the same origin, or, where nothing says that, its Origin is allowed
 */
export function refuseCrossSite(headers: IncomingHttpHeaders, allowed: ReadonlySet<string>): void {
  const site = headers['sec-fetch-site'];
  const sameOrigin = site === undefined ? headers.origin !== undefined && allowed.has(headers.origin) : site === 'same-origin';
  if (sameOrigin && JSON_MEDIA_TYPE.test(headers['content-type'] ?? '')) return;
  throw new Problem(
    'csrf_refused',
    'This call may come from another site. Send Content-Type: application/json and, outside a browser, an Origin header with the address of this service.',
  );
}
