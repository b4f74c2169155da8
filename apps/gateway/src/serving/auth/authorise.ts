import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isLoopbackHost } from '@market-state/config';
import { includesRole } from '@market-state/credentials';
import type { Logger } from '@market-state/logging';
import { insufficientRole, Problem, unauthenticated } from '../errors/problem';
import type { Operation } from '../openapi/operations';
import type { Grant, Credential } from './credentials';
import type { AddressReader } from '../http/request-lifetime';
import type { CredentialDirectory } from './credential-directory';

export const API_KEY_HEADER = 'x-market-state-api-key';

export const SESSION_COOKIE = 'svc_market_state_session';

export function cookieOf({ cookie }: IncomingHttpHeaders, name: string): string | undefined {
  for (const pair of cookie?.split(';') ?? []) {
    const mark = pair.indexOf('=');
    if (mark !== -1 && pair.slice(0, mark).trim() === name) return pair.slice(mark + 1).trim();
  }
  return undefined;
}

export function sessionOf(headers: IncomingHttpHeaders): string | undefined {
  return cookieOf(headers, SESSION_COOKIE);
}

const BEARER = /^bearer +(\S+) *$/i;

/**
 * Null without a credential. A key, even if invalid, precedes a cookie; the key header precedes `Authorization:
 * Bearer`.
 */
export function credentialOf(headers: IncomingHttpHeaders, { takesBearerKey }: Pick<Operation, 'takesBearerKey'>): Credential | null {
  const key = headers[API_KEY_HEADER] ?? (takesBearerKey ? BEARER.exec(headers.authorization ?? '')?.[1] : undefined);
  if (key !== undefined) return { kind: 'key', secret: String(key) };
  const session = sessionOf(headers);
  return session === undefined ? null : { kind: 'session', secret: session };
}

interface AuthoriseDeps {
  readonly directory: Pick<CredentialDirectory, 'remembered' | 'verify'>;
  readonly logger: Logger;
  readonly addressOf: AddressReader;
}

/**
 * Null on a route without credentials.
 * @throws {Problem} 401 with the same body for every cause, 403 for a missing scope or role, 429 or 503 from the look-up limits
 */
export async function authorise(
  { directory, logger, addressOf }: AuthoriseDeps,
  operation: Operation,
  credential: Credential | null,
  req: Pick<IncomingMessage, 'headers' | 'socket'>,
): Promise<Grant | null> {
  if (operation.credential === 'none') return null;
  const takes = credential !== null && (credential.kind === 'key' || operation.credential === 'key_or_session');
  const grant = takes ? (directory.remembered(credential, req.socket) ?? (await directory.verify(credential, addressOf(req)))) : null;
  if (grant === null) {
    logger.warn({ operation: operation.operationId, credential: credential?.kind ?? 'none' }, 'credential refused');
    throw unauthenticated();
  }
  if (!grant.scopes.has(operation.scope)) {
    logger.warn({ operation: operation.operationId, key_id: grant.keyId, scope: operation.scope }, 'scope refused');
    throw new Problem('insufficient_scope', `This route needs a key with the scope ${operation.scope}.`);
  }
  if (grant.role !== null && !includesRole(grant.role, operation.role)) {
    logger.warn({ operation: operation.operationId, account_id: grant.accountId, role: grant.role }, 'role refused');
    throw insufficientRole(operation.role);
  }
  return grant;
}

/** Loopback has two spellings, name and number. */
function spellings(origin: string): string[] {
  const url = new URL(origin);
  if (!isLoopbackHost(url.hostname)) return [origin];
  return ['localhost', '127.0.0.1', '[::1]'].map((host) => `${url.protocol}//${host}${url.port === '' ? '' : `:${url.port}`}`);
}

/** @param ownUrl may change once, when the server listens */
export function allowedOrigins(ownUrl: () => string, settings: readonly string[]): () => ReadonlySet<string> {
  let known: { readonly url: string; readonly origins: ReadonlySet<string> } | undefined;
  return () => {
    const url = ownUrl();
    if (known?.url !== url) known = { url, origins: new Set([...spellings(new URL(url).origin), ...settings]) };
    return known.origins;
  };
}

/** False only for plain http on loopback. */
export function takesSecureCookies(publicUrl: string | undefined, listenHost: string): boolean {
  if (publicUrl === undefined) return !isLoopbackHost(listenHost);
  const { protocol, hostname } = new URL(publicUrl);
  return !(protocol === 'http:' && isLoopbackHost(hostname));
}

const JSON_MEDIA_TYPE = /^application\/json\s*(?:;|$)/i;

const OPENS_SESSION: ReadonlySet<string> = new Set(['logIn', 'claimAccount', 'acceptInvitation', 'beginOidcLogin', 'finishOidcLogin']);

export type SiteRule = 'none' | 'read' | 'upgrade' | 'open_session' | 'change';

/** Keys are exempt: browsers only attach cookies by themselves. */
export function siteRuleOf(
  { method, operationId }: Pick<Operation, 'method' | 'operationId'>,
  grant: Pick<Grant, 'kind'> | null,
  isUpgrade = false,
): SiteRule {
  if (OPENS_SESSION.has(operationId)) return 'open_session';
  if (grant?.kind !== 'session') return 'none';
  if (isUpgrade) return 'upgrade';
  return method === 'get' ? 'read' : 'change';
}

function isSameOrigin({ origin, 'sec-fetch-site': site }: IncomingHttpHeaders, allowed: ReadonlySet<string>): boolean {
  return site === undefined ? origin !== undefined && allowed.has(origin) : site === 'same-origin';
}

function isBodiless({ 'content-length': length, 'transfer-encoding': encoding }: IncomingHttpHeaders): boolean {
  return encoding === undefined && Number(length ?? 0) === 0;
}

/** A page cannot suppress Origin or Sec-Fetch-Site. */
function isOutsideBrowser(headers: IncomingHttpHeaders): boolean {
  return headers.origin === undefined && headers['sec-fetch-site'] === undefined && sessionOf(headers) === undefined;
}

/** Browsers let a page of any site open a WebSocket with cookies and read it, but always send its Origin. */
function isOwnUpgrade({ origin, 'sec-fetch-site': site }: IncomingHttpHeaders, allowed: ReadonlySet<string>): boolean {
  if (site === 'same-origin' || site === 'cross-site') return site === 'same-origin';
  return origin === undefined ? site === undefined : allowed.has(origin);
}

/**
 * Rejects cross-site reads by Sec-Fetch-Site, and upgrades by Origin too. Other calls require a JSON body and the same
 * origin by Sec-Fetch-Site or, without that header, an allowed Origin; only JSON to open a session from outside a
 * browser.
 * @throws {Problem} `csrf_refused`
 */
export function refuseCrossSite(rule: SiteRule, headers: IncomingHttpHeaders, allowedNow: () => ReadonlySet<string>): void {
  if (rule === 'none') return;
  if (rule === 'read' || rule === 'upgrade') {
    const isOwn = rule === 'upgrade' ? isOwnUpgrade(headers, allowedNow()) : headers['sec-fetch-site'] !== 'cross-site';
    if (isOwn) return;
    throw new Problem('csrf_refused', 'Pages of other sites cannot use this session.');
  }
  const mediaType = headers['content-type'];
  const isPlainClient = rule === 'open_session' && isOutsideBrowser(headers);
  // Validation reports the missing body later.
  if (isPlainClient && mediaType === undefined && isBodiless(headers)) return;
  if ((isPlainClient || isSameOrigin(headers, allowedNow())) && JSON_MEDIA_TYPE.test(mediaType ?? '')) return;
  throw new Problem(
    'csrf_refused',
    rule === 'open_session'
      ? 'This call may come from another site. Send Content-Type: application/json, either from a page of this service or without Origin, ' +
          'Sec-Fetch-Site and session cookie.'
      : 'This call may come from another site. Send Content-Type: application/json and, outside a browser, an Origin header with the ' +
          'address of this service.',
  );
}
