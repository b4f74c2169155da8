import { UnauthorizedError } from '@market-state/client';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { read, service } from './client';
import { noteBalances, useMetering } from './meter';
import { type CreditsLeft, creditsLeft } from './credits-left';

/** Both kinds of credit; undefined until known and when logged out. */
export function useCredits(): readonly CreditsLeft[] | undefined {
  const { data } = useSession();
  const { spentSinceBalances } = useMetering();
  return data?.balances.map((balance) => creditsLeft(balance, spentSinceBalances));
}

/** Plan and balances are read again after this time, milliseconds; the route costs nothing. */
const STALE_MS = 60_000;

export const SESSION_KEY = ['account', 'me'] as const;

const page = document.documentElement;

/** Set by the gateway on a page that was requested with a session cookie: scripts can't see the cookie. */
const hasCookie = (): boolean => page.dataset['session'] !== undefined;

/** Notifies other tabs of this browser that the session changed. */
const tabs = new BroadcastChannel('session');

/** Reads the session again after a login or logout in another tab. */
export function followOtherTabs(queries: QueryClient): void {
  tabs.onmessage = () => void readAgain(queries);
}

/** Notes a login in this tab: open pages read the session too from now on. */
export function noteLogin(queries: QueryClient): Promise<void> {
  tabs.postMessage(null);
  return readAgain(queries);
}

/** Leaves for the login after the session has ended: a new document has nothing of the account in memory. */
export function leaveAfterLogout(): void {
  tabs.postMessage(null);
  location.assign('/login');
}

function readAgain(queries: QueryClient): Promise<void> {
  page.dataset['session'] = '';
  return queries.resetQueries({ queryKey: SESSION_KEY });
}

/**
 * Account, plan and balances of this browser's session: one state for every page. `data` is undefined until known and when logged out;
 * `hasExpired` is true where a session was known before.
 * A page that needs a session sets `isRequired`; others send nothing for a visitor without a session cookie. `isFresh` reads it again when
 * the caller is first shown.
 */
export function useSession({ isRequired = false, isFresh = false }: { readonly isRequired?: boolean; readonly isFresh?: boolean } = {}) {
  const session = useQuery({
    queryKey: SESSION_KEY,
    queryFn: async ({ signal }) => {
      const me = await read(service.account.me({ signal }));
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

/** Returns true if a call was refused for lack of a session. */
export function isLoggedOut(error: unknown): boolean {
  return error instanceof UnauthorizedError;
}
