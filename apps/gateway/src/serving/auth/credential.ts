import type { IncomingHttpHeaders } from 'node:http';
import type { Operation } from '../openapi/operations';

/** Header that carries the API key, lower case. */
export const API_KEY_HEADER = 'x-market-state-api-key';

/** Cookie that carries a browser session. */
export const SESSION_COOKIE = 'svc_market_state_session';

/** What a caller presents. */
export interface Credential {
  readonly kind: 'key' | 'session';
  /** The whole key, or the session as the cookie carries it. */
  readonly secret: string;
}

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
