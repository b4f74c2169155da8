import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { frameService } from '../service/client';
import { noteLogin } from '../service/session';
import { AccountForm } from './account-form';
import { Field } from './field';
import { fieldFaults } from './field-errors';

/** Logs in and opens the path `next`. */
export function LoginForm({ next }: { readonly next: string }) {
  const queries = useQueryClient();
  const [, open] = useLocation();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (form: FormData) =>
      frameService.account.logIn({ email: String(form.get('email')), password: String(form.get('password')) }),
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
      isSending={isPending}
      error={error}
      fields={['email', 'password']}
      onSubmit={mutate}
      aside={
        <>
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
    </AccountForm>
  );
}
