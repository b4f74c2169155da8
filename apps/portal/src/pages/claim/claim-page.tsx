import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { AccountForm, AccountNote, LostLink } from '../../account/account-form';
import { Field, NewPasswordField } from '../../account/field';
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
      <AccountNote title="Check your email">
        <p>
          <MailSent to={data.mail_delivery} email={text(variables, 'email')} /> The link creates your account and is valid for 24 hours.
        </p>
      </AccountNote>
    );
  if (data !== undefined)
    return (
      <AccountNote title="Your account is ready">
        <p>You are logged in. Your plan: {data.plan?.tier ?? data.plan?.plan_id ?? 'none'}.</p>
        <p>
          <Link href="/live">View the markets</Link>, or <Link href="/keys">create a key for your programs</Link>.
        </p>
      </AccountNote>
    );
  if (link.isLost)
    return (
      <LostLink>
        <p>
          The link is valid for 24 hours. After that, <a href="/claim">request a new one</a>.
        </p>
      </LostLink>
    );
  return (
    <AccountForm
      key={link.token}
      title="Create an account"
      action="Create account"
      sending={{ isPending, error }}
      fields={['email', 'password', 'api_key']}
      onSubmit={mutate}
      aside={
        <p>
          Already have an account? <Link href="/login">Log in</Link>
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
      />
      <NewPasswordField label="Password" name="password" />
      {link.token === '' ? (
        <Field
          label="API key (optional)"
          name="api_key"
          type="password"
          autoComplete="off"
          maxLength={512}
          hint="With a key you join its team. Leave blank for a free trial; it ends automatically."
        />
      ) : null}
    </AccountForm>
  );
}
