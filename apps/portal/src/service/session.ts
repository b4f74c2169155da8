import { UnauthorizedError, type Schemas } from '@market-state/client';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { frameService, read, service } from './client';
import { SAMPLED } from './sampled';
import { type CreditsLeft, creditsLeft, noteBalances, useMetering } from './meter';

/** Undefined until known and when logged out. */
export function useCredits(): readonly CreditsLeft[] | undefined {
  const { data } = useSession();
  const { spentSinceBalances } = useMetering();
  return data?.balances.map((balance) => creditsLeft(balance, spentSinceBalances));
}

/** Plan and balances are refetched after this time; the route is free. */
const STALE_MS = 60_000;

export const SESSION_KEY = ['account', 'me'] as const;

const page = document.documentElement;

/** Set by the gateway on a page requested with a session cookie, which scripts can't see. */
const hasCookie = (): boolean => page.dataset['session'] !== undefined;

/** Notifies other tabs that the session changed. */
const tabs = new BroadcastChannel('session');

export function followOtherTabs(queries: QueryClient): void {
  tabs.onmessage = () => void readAgain(queries);
}

export function noteLogin(queries: QueryClient): Promise<void> {
  tabs.postMessage(null);
  return readAgain(queries);
}

/** Loads a new document, which has nothing of the account in memory. */
export function leaveAfterLogout(): void {
  tabs.postMessage(null);
  location.assign('/login');
}

function readAgain(queries: QueryClient): Promise<void> {
  page.dataset['session'] = '';
  return queries.resetQueries({ queryKey: SESSION_KEY });
}

/**
 * `data` is undefined until known and when logged out; `hasExpired` is true if a session was known before. Pages that
 * need a session set `isRequired`; others send nothing for a visitor without a session cookie. `isFresh` refetches when
 * the caller first mounts.
 */
export function useSession({ isRequired = false, isFresh = false }: { readonly isRequired?: boolean; readonly isFresh?: boolean } = {}) {
  const session = useQuery({
    queryKey: SESSION_KEY,
    queryFn: async ({ signal, meta }) => {
      const me = await read((meta === SAMPLED ? service : frameService).account.me({ signal }));
      noteBalances();
      return me;
    },
    staleTime: STALE_MS,
    refetchOnMount: isFresh ? 'always' : true,
    enabled: isRequired || hasCookie(),
  });
  const isEnded = isLoggedOut(session.error);
  return { ...session, data: isEnded ? undefined : session.data, hasExpired: isEnded && session.data !== undefined };
}

export function isLoggedOut(error: unknown): boolean {
  return error instanceof UnauthorizedError;
}

export type Role = Schemas['MemberRole'];

/** Each may do what the ones after it may. */
export const ROLES: readonly Role[] = ['owner', 'member', 'read_only'];

export const ROLE_WORDS: Readonly<Record<Role, string>> = { owner: 'owner', member: 'member', read_only: 'read-only' };

/** Why a change is off; undefined if the session's account has the role or is not known yet. */
export function useRoleGap(needed: Role): string | undefined {
  const held = useSession().data?.account?.role;
  if (held === undefined || ROLES.indexOf(held) <= ROLES.indexOf(needed)) return undefined;
  return `Your role is ${ROLE_WORDS[held]}: only ${needed === 'owner' ? 'owners' : 'members and owners'} of your team can do this.`;
}
