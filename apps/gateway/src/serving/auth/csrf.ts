import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../errors/problem';
import type { Operation } from '../openapi/operations';
import { sessionOf } from './credential';
import type { Grant } from './grant';

const JSON_MEDIA_TYPE = /^application\/json\s*(?:;|$)/i;

/** Calls without a credential that set a session. */
const OPENS_SESSION: ReadonlySet<string> = new Set(['logIn', 'claimAccount']);

/** How strictly a call must prove that no other site made a browser send it. */
export type SiteRule = 'none' | 'read' | 'open_session' | 'change';

/** A key proves it by itself; a cookie comes with whatever a browser sends. */
export function siteRuleOf(
  { method, operationId }: Pick<Operation, 'method' | 'operationId'>,
  grant: Pick<Grant, 'kind'> | null,
): SiteRule {
  if (OPENS_SESSION.has(operationId)) return 'open_session';
  if (grant?.kind !== 'session') return 'none';
  return method === 'get' ? 'read' : 'change';
}

function isSameOrigin({ origin, 'sec-fetch-site': site }: IncomingHttpHeaders, allowed: ReadonlySet<string>): boolean {
  return site === undefined ? origin !== undefined && allowed.has(origin) : site === 'same-origin';
}

function isBodiless({ 'content-length': length, 'transfer-encoding': encoding }: IncomingHttpHeaders): boolean {
  return encoding === undefined && Number(length ?? 0) === 0;
}

/** Whether nothing in a call is of a browser: no page can keep its Origin or Sec-Fetch-Site back. */
function isOutsideBrowser(headers: IncomingHttpHeaders): boolean {
  return headers.origin === undefined && headers['sec-fetch-site'] === undefined && sessionOf(headers) === undefined;
}

/**
 * Refuses a call that another site may have made a browser send. @throws Problem `csrf_refused`: a read whose Sec-Fetch-Site is
 * `cross-site`; any other call unless its body is declared as JSON and the browser says that it comes from the same origin, or, where
 * nothing says that, its Origin is allowed. To open a session a call from outside a browser needs nothing but JSON; without a body it is
 * refused later.
 */
export function refuseCrossSite(rule: SiteRule, headers: IncomingHttpHeaders, allowed: ReadonlySet<string>): void {
  if (rule === 'none') return;
  if (rule === 'read') {
    if (headers['sec-fetch-site'] !== 'cross-site') return;
    throw new Problem('csrf_refused', 'A page of another site may not use this session.');
  }
  const mediaType = headers['content-type'];
  const isPlainClient = rule === 'open_session' && isOutsideBrowser(headers);
  // Nothing is done without a body: its absence is named later.
  if (isPlainClient && mediaType === undefined && isBodiless(headers)) return;
  if ((isPlainClient || isSameOrigin(headers, allowed)) && JSON_MEDIA_TYPE.test(mediaType ?? '')) return;
  throw new Problem(
    'csrf_refused',
    rule === 'open_session'
      ? 'This call may come from another site. Send Content-Type: application/json, from a page of this service or without Origin, ' +
          'Sec-Fetch-Site and session cookie.'
      : 'This call may come from another site. Send Content-Type: application/json and, outside a browser, an Origin header with the ' +
          'address of this service.',
  );
}
