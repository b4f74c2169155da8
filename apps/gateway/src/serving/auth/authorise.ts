import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isLoopbackHost } from '@market-state/config';
import type { Logger } from '@market-state/logging';
import { Problem, unauthenticated } from '../errors/problem';
import type { Operation } from '../openapi/operations';
import type { Grant, Credential } from './grant';
import type { AddressReader } from '../http/client-address';
import type { CredentialDirectory } from './credential-directory';

/** Header that carries the API key, lower case. */
export const API_KEY_HEADER = 'x-market-state-api-key';

/** Cookie that carries a browser session. */
export const SESSION_COOKIE = 'svc_market_state_session';

function cookieOf(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const mark = pair.indexOf('=');
    if (mark !== -1 && pair.slice(0, mark).trim() === name) return pair.slice(mark + 1).trim();
  }
  return undefined;
}

/** The session as the cookie carries it, whether it counts or not; undefined where none came. */
export function sessionOf({ cookie }: IncomingHttpHeaders): string | undefined {
  return cookie === undefined ? undefined : cookieOf(cookie, SESSION_COOKIE);
}

const BEARER = /^bearer +(\S+) *$/i;

/**
 * The one credential that counts; null when none was sent. Where a key comes, good or bad, a cookie is ignored; the key header comes before
 * `Authorization: Bearer`, which counts where the operation takes it.
 */
export function credentialOf(headers: IncomingHttpHeaders, { takesBearerKey }: Pick<Operation, 'takesBearerKey'>): Credential | null {
  const key = headers[API_KEY_HEADER] ?? (takesBearerKey ? BEARER.exec(headers.authorization ?? '')?.[1] : undefined);
  if (key !== undefined) return { kind: 'key', secret: String(key) };
  const session = sessionOf(headers);
  return session === undefined ? null : { kind: 'session', secret: session };
}

interface AuthoriseDeps {
  readonly directory: Pick<CredentialDirectory, 'verify'>;
  readonly logger: Logger;
  readonly addressOf: AddressReader;
}

/**
 * What the request's credential opens on this route; null where the route needs none. Throws 401, the same whatever is
 * wrong with the credential; 403 when the scope is lacking; 429 and 503 as look-ups of credentials are limited.
 */
export async function authorise(
  { directory, logger, addressOf }: AuthoriseDeps,
  operation: Operation,
  req: Pick<IncomingMessage, 'headers' | 'socket'>,
): Promise<Grant | null> {
  if (operation.credential === 'none') return null;
  const credential = credentialOf(req.headers, operation);
  const takes = credential !== null && (credential.kind === 'key' || operation.credential === 'key_or_session');
  const grant = takes ? await directory.verify(credential, addressOf(req)) : null;
  if (grant === null) {
    logger.warn({ operation: operation.operationId, credential: credential?.kind ?? 'none' }, 'credential refused');
    throw unauthenticated();
  }
  if (!grant.scopes.has(operation.scope)) {
    logger.warn({ operation: operation.operationId, key_id: grant.keyId, scope: operation.scope }, 'scope refused');
    throw new Problem('insufficient_scope', `This route needs a key with the scope ${operation.scope}.`);
  }
  return grant;
}

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
