import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { AccountForm, AccountNote, LostLink } from '../../account/account-form';
import { Field } from '../../account/field';
import { fieldFaults } from '../../account/field-faults';
import { MailSent, forgetMailedLink, useMailedLink } from '../../account/mailed-link';
import { service } from '../../service/client';
import { noteLogin } from '../../service/session';

const text = (form: FormData, name: string): string => String(form.get(name) ?? '');

export default function ClaimPage() {
  const queries = useQueryClient();
  const link = useMailedLink('claim_token');
  const { mutate, isPending, error, data, variables } = useMutation({
    mutationFn: async (form: FormData) => {
      const key = text(form, 'api_key').trim();
      const { data: answer } = await service.account.claim({
        email: text(form, 'email'),
        password: text(form, 'password'),
        ...(link.token === '' ? {} : { claim_token: link.token }),
        ...(key === '' ? {} : { api_key: key }),
      });
      return answer;
    },
    onSuccess: (answer) => {
      forgetMailedLink();
      return answer.verification_sent === true ? undefined : noteLogin(queries);
    },
  });
  if (data?.verification_sent === true && variables !== undefined)
    return (
      <AccountNote title="Check your mail">
        <p>
          <MailSent to={data.mail_delivery} email={text(variables, 'email')} /> The link opens your account and works for 24 hours.
        </p>
      </AccountNote>
    );
  if (data !== undefined)
    return (
      <AccountNote title="Your account is open">
        <p>You are logged in. Your plan: {data.plan?.tier ?? data.plan?.plan_id ?? 'none'}.</p>
        <p>
          <Link href="/live">See which market is in what state</Link>, or <Link href="/keys">make a key for your programs</Link>.
        </p>
      </AccountNote>
    );
  if (link.isLost)
    return (
      <LostLink>
        <p>
          The link works for 24 hours. After that, <a href="/claim">ask for another</a>.
        </p>
      </LostLink>
    );
  const faults = fieldFaults(error);
  return (
    <AccountForm
      key={link.token}
      title="Open an account"
      action="Open account"
      isSending={isPending}
      error={error}
      fields={['email', 'password', 'api_key']}
      onSubmit={mutate}
      beside={
        <p>
          You have one? <Link href="/login">Log in</Link>
        </p>
      }
    >
      <Field
        label="Email"
        name="email"
        type="email"
        autoComplete="username"
        required
        maxLength={254}
        defaultValue={link.email}
        readOnly={link.email !== ''}
        fault={faults.get('email')}
      />
      <Field
        label="Password"
        name="password"
        type="password"
        autoComplete="new-password"
        required
        minLength={12}
        maxLength={256}
        hint="12 characters or more. Any characters will do, a few words for example."
        fault={faults.get('password')}
      />
      {link.token === '' ? (
        <Field
          label="API key (only if you have one)"
          name="api_key"
          type="password"
          autoComplete="off"
          maxLength={512}
          hint="With it the account is that of the key. Without one a trial is opened: it costs nothing and ends by itself."
          fault={faults.get('api_key')}
        />
      ) : null}
    </AccountForm>
  );
}
