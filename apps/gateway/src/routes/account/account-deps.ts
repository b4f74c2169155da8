import type { account } from '@market-state/contracts';
import { type Fault, isServiceError } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import { type FaultItem, InvalidRequest } from '../../serving/errors/problem';
import type { Meter } from '../../serving/metering/meter';
import { SESSION_COOKIE } from '../../serving/auth/authorise';

/** Writes the cookie of a browser session. */
export interface SessionCookie {
  /** Value of `Set-Cookie` that keeps a session until it ends. */
  set(session: string, expiresMs: number): string;
  /** Value of `Set-Cookie` that removes it. */
  clear(): string;
}

/** `secure` is false only where the service is reached by plain http on loopback. */
export function createSessionCookie(secure: boolean, now: () => number): SessionCookie {
  const write = (value: string, maxAgeSeconds: number): string =>
    `${SESSION_COOKIE}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  return {
    set: (session, expiresMs) => write(session, Math.max(0, Math.floor((expiresMs - now()) / 1_000))),
    clear: () => write('', 0),
  };
}

/** What the handlers of accounts, sessions, keys and billing are made with. */
export interface AccountDeps {
  readonly keys: GrpcClient<account.KeyServiceService>;
  readonly people: GrpcClient<account.AccountServiceService>;
  /** Those of its calls that hash a password: a crowd of them must not keep the others waiting. */
  readonly signIn: GrpcClient<account.AccountServiceService>;
  readonly billing: GrpcClient<account.BillingServiceService>;
  readonly credits: GrpcClient<account.CreditServiceService>;
  readonly meter: Pick<Meter, 'giveBack' | 'posted'>;
  readonly cookie: SessionCookie;
  /** Address of this service, known once it listens. */
  readonly baseUrl: () => string;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}

/** Where a field of a call to account comes from in the public request; a field not listed is one of the body. */
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

/** The answer of a call to account; what account finds wrong with its fields is told as faults of the public request. */
export async function fromAccount<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (isServiceError(error) && error.code === 'INVALID_ARGUMENT' && error.faults.length > 0)
      throw new InvalidRequest(error.faults.map(toItem));
    throw error;
  }
}

/** Null for a text that is empty: on the wire between services absent texts are. */
export function orNull(text: string): string | null {
  return text === '' ? null : text;
}
