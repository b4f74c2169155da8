import type { account } from '@market-state/contracts';
import { secretDigest } from '@market-state/credentials';
import { type Fault, isServiceError } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import { type FaultItem, InvalidRequest, Problem, unauthenticated } from '../../serving/errors/problem';
import type { CallContext } from '../../serving/answers/handler';
import type { Meter } from '../../serving/metering/meter';
import { SESSION_COOKIE } from '../../serving/auth/authorise';

/** Builds `Set-Cookie` values for browser sessions. */
export interface SessionCookie {
  set(session: string, expiresMs: number): string;
  clear(): string;
  /** Binds a login with the login provider to the browser. No other site's page can make the browser send it. */
  setOidcLogin(secret: string, expiresMs: number): string;
}

export const OIDC_COOKIE = 'svc_market_state_oidc';

const OIDC_PATH = '/api/public/market-state/account/auth/oidc';

/** `secure` is false only if the service is reached by plain HTTP on loopback. */
export function createSessionCookie(secure: boolean, now: () => number): SessionCookie {
  const secondsTo = (ms: number): number => Math.max(0, Math.floor((ms - now()) / 1_000));
  const write = (cookie: string, path: string, maxAgeSeconds: number, sameSite: 'Lax' | 'Strict' = 'Lax'): string =>
    `${cookie}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}`;
  return {
    set: (session, expiresMs) => write(`${SESSION_COOKIE}=${session}`, '/', secondsTo(expiresMs)),
    clear: () => write(`${SESSION_COOKIE}=`, '/', 0),
    setOidcLogin: (secret, expiresMs) => write(`${OIDC_COOKIE}=${secret}`, OIDC_PATH, secondsTo(expiresMs), 'Strict'),
  };
}

export interface AccountDeps {
  readonly keys: GrpcClient<account.KeyServiceService>;
  readonly people: GrpcClient<account.AccountServiceService>;
  /** Calls that hash a password: a burst of them must not delay other calls. */
  readonly signIn: GrpcClient<account.AccountServiceService>;
  /** Calls that wait for the login provider. */
  readonly oidc: GrpcClient<account.AccountServiceService>;
  readonly billing: GrpcClient<account.BillingServiceService>;
  readonly credits: GrpcClient<account.CreditServiceService>;
  readonly meter: Pick<Meter, 'giveBack' | 'posted'>;
  readonly cookie: SessionCookie;
  /** Known only once the server listens. */
  readonly baseUrl: () => string;
  readonly now: () => number;
}

/** Location of account fields in the public request; unlisted fields are in the body. */
const PLACES: ReadonlyMap<string, readonly string[]> = new Map([
  ['expires_ts_ms', ['body', 'expires_at']],
  ['credit_ceiling.credits', ['body', 'credit_ceiling', 'credits']],
  ['credit_ceiling.window_seconds', ['body', 'credit_ceiling', 'window_seconds']],
  ['calls_per_minute', ['body', 'rate_limit', 'calls_per_minute']],
  ['overlap_ms', ['body', 'overlap_seconds']],
  ['limit', ['query', 'limit']],
  ['cursor', ['query', 'cursor']],
]);

function toItem({ field, message, type }: Fault): FaultItem {
  return { loc: PLACES.get(field) ?? ['body', field], msg: message, type };
}

/** Awaits an account call and maps its validation errors to the public request. */
export async function fromAccount<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (isServiceError(error) && error.code === 'INVALID_ARGUMENT' && error.faults.length > 0)
      throw new InvalidRequest(error.faults.map(toItem));
    throw error;
  }
}

/** Account reads the key or session again by this digest, since it may have ended. */
export function credentialDigestOf({ credential }: CallContext): Buffer {
  if (credential === null) throw unauthenticated();
  return Buffer.from(secretDigest(credential.secret));
}

/**
 * Digest of the calling session.
 * @throws {Problem} 409 with a key
 */
export function sessionDigestOf({ credential }: CallContext): Buffer {
  if (credential?.kind !== 'session') throw new Problem('conflict', 'A key has no account. Log in, and call this route with the session.');
  return Buffer.from(secretDigest(credential.secret));
}
