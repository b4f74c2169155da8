import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../errors/problem';
import type { Operation } from '../openapi/operations';
import { sessionOf, type Grant } from './grant';
import { isLoopbackHost } from '@market-state/config';

/** The other spelling of an origin on loopback, by name and by number; the origin itself where it is not on loopback. */
function spellings(origin: string): string[] {
  const url = new URL(origin);
  if (!isLoopbackHost(url.hostname)) return [origin];
  return ['localhost', '127.0.0.1', '[::1]'].map((host) => `${url.protocol}//${host}${url.port === '' ? '' : `:${url.port}`}`);
}

/** Origins from which a browser may change something here: the own one, and those of the settings. */
export function allowedOrigins(ownUrl: string, settings: readonly string[]): ReadonlySet<string> {
  return new Set([...spellings(new URL(ownUrl).origin), ...settings]);
}

/** Whether cookies can be `Secure`: everywhere but where the service is reached by plain http on loopback. */
export function takesSecureCookies(publicUrl: string | undefined, listenHost: string): boolean {
  if (publicUrl === undefined) return !isLoopbackHost(listenHost);
  const { protocol, hostname } = new URL(publicUrl);
  return !(protocol === 'http:' && isLoopbackHost(hostname));
}

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
