import { useRead, frameService, read } from '../service/client';
import { ProblemError } from '@market-state/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { noteLogin } from '../service/session';
import { AccountForm } from './account-form';
import { EitherCodeField, Field } from './field';
import styles from './account.module.css';
import { afterLogin, providerAnswer } from '../pages';

/** Logs in and opens the path `next`. */
export function LoginForm({ next }: { readonly next: string }) {
  const queries = useQueryClient();
  const [, open] = useLocation();
  const [needsCode, setNeedsCode] = useState(false);
  const oidc = useOidcLogin(next);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (form: FormData) => {
      const code = form.get('code');
      return frameService.account.logIn({
        email: String(form.get('email')),
        password: String(form.get('password')),
        ...(code === null ? {} : { code: String(code) }),
      });
    },
    onError(refusal) {
      if (isCodeRequired(refusal)) setNeedsCode(true);
    },
    async onSuccess() {
      await noteLogin(queries);
      open(next, { replace: true });
    },
  });
  return (
    <AccountForm
      title="Log in"
      action="Log in"
      sending={{ isPending: isPending || oidc.isBusy, error: isCodeRequired(error) ? null : (error ?? oidc.error) }}
      fields={['email', 'password', 'code']}
      onSubmit={mutate}
      aside={
        <>
          {oidc.name === undefined ? null : (
            <button type="button" className={styles['provider']} disabled={isPending || oidc.isBusy} onClick={oidc.begin}>
              Sign in with {oidc.name}
            </button>
          )}
          <p>
            No account yet? <Link href="/claim">Create one</Link>
          </p>
          <p>
            Forgot your password? <Link href="/reset">Reset it</Link>
          </p>
        </>
      }
    >
      <Field label="Email" name="email" type="email" autoComplete="username" required maxLength={254} />
      <Field label="Password" name="password" type="password" autoComplete="current-password" required maxLength={256} />
      {needsCode ? <EitherCodeField autoFocus /> : null}
    </AccountForm>
  );
}

function isCodeRequired(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'second_factor_required';
}

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
function useOidcLogin(next: string): OidcLogin {
  const queries = useQueryClient();
  const [, open] = useLocation();
  const [answer] = useState(() => providerAnswer(location.search));
  const { data: options } = useRead(['sign-in options'], (options) => frameService.account.signInOptions(options), { staleTime: Infinity });
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
