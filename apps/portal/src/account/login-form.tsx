import { ProblemError } from '@market-state/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { frameService } from '../service/client';
import { noteLogin } from '../service/session';
import { AccountForm } from './account-form';
import { EitherCodeField, Field } from './field';
import { fieldFaults } from './field-errors';
import styles from './account.module.css';
import { useOidcLogin } from './use-oidc-login';

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
  const faults = fieldFaults(error);
  return (
    <AccountForm
      title="Log in"
      action="Log in"
      isSending={isPending || oidc.isBusy}
      error={isCodeRequired(error) ? null : (error ?? oidc.error)}
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
      <Field label="Email" name="email" type="email" autoComplete="username" required maxLength={254} fault={faults.get('email')} />
      <Field
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        maxLength={256}
        fault={faults.get('password')}
      />
      {needsCode ? <EitherCodeField autoFocus fault={faults.get('code')} /> : null}
    </AccountForm>
  );
}

function isCodeRequired(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'second_factor_required';
}
