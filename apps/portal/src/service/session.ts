import { UnauthorizedError } from '@market-state/client';
import { useQuery } from '@tanstack/react-query';
import { read, service } from './client';

/** Balances and plan are asked for again as often, milliseconds; the route costs nothing. */
const STALE_MS = 60_000;

export const SESSION_KEY = ['account', 'me'] as const;

/** Who is logged in, with plan and balances. Where `enabled` is false it is not asked for: what is known already is given. */
export function useSession({ enabled }: { readonly enabled: boolean }) {
  return useQuery({ queryKey: SESSION_KEY, queryFn: ({ signal }) => read(service.account.me({ signal })), staleTime: STALE_MS, enabled });
}

/** Whether a call was refused because nobody is logged in. */
export function isLoggedOut(error: unknown): boolean {
  return error instanceof UnauthorizedError;
}
