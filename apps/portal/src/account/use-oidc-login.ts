import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { afterLogin, providerAnswer } from '../pages';
import { frameService, read } from '../service/client';
import { noteLogin } from '../service/session';

/** Path to open after the login, while the browser is at the login provider. */
const NEXT = 'oidc_next';

interface OidcLogin {
  /** Name of the login provider; undefined without one. */
  readonly name: string | undefined;
  readonly isBusy: boolean;
  readonly error: unknown;
  begin(): void;
}

/** Login with the login provider, which ends on the login page and opens the path `next` from where it began. */
export function useOidcLogin(next: string): OidcLogin {
  const queries = useQueryClient();
  const [, open] = useLocation();
  const [answer] = useState(() => providerAnswer(location.search));
  const { data: options } = useQuery({
    queryKey: ['sign-in options'],
    queryFn: ({ signal }) => read(frameService.account.signInOptions({ signal })),
    staleTime: Infinity,
  });
  const begin = useMutation({
    mutationFn: () => read(frameService.account.beginOidcLogin()),
    onSuccess({ authorization_url: url }) {
      sessionStorage.setItem(NEXT, next);
      location.assign(url);
    },
  });
  const { mutate: finish, ...finishing } = useMutation({
    mutationFn: (query: string) => frameService.account.finishOidcLogin({ query }),
    async onSuccess() {
      const path = afterLogin(new URLSearchParams({ next: sessionStorage.getItem(NEXT) ?? '' }).toString());
      sessionStorage.removeItem(NEXT);
      await noteLogin(queries);
      open(path, { replace: true });
    },
  });
  useEffect(() => {
    if (answer === null) return;
    // Its code works once, so a reload must not send it again.
    history.replaceState(history.state, '', location.pathname);
    finish(answer);
  }, [answer, finish]);
  return {
    name: options?.oidc?.name,
    isBusy: begin.isPending || finishing.isPending,
    error: begin.error ?? finishing.error,
    begin: () => begin.mutate(),
  };
}
