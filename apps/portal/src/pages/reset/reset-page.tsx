import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { LostLink, AccountForm, AccountNote } from '../../account/account-form';
import { useMailedLink, MailSent, forgetMailedLink } from '../../account/mailed-link';
import { Field, NewPasswordField } from '../../account/field';
import { service } from '../../service/client';

function SetPassword({ token }: { readonly token: string }) {
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: async (form: FormData) => {
      const { data: answer } = await service.account.confirmPasswordReset({
        reset_token: token,
        new_password: String(form.get('new_password')),
      });
      return answer;
    },
    onSuccess: forgetMailedLink,
  });
  if (data !== undefined)
    return (
      <AccountNote title="Your password has been set">
        <p>
          All sessions of the account have ended. <Link href="/login">Log in</Link> with the new password.
        </p>
        {data.revoked_keys.length === 0 ? null : (
          <>
            <p>These API keys no longer work, because they were created before you confirmed this email address.</p>
            <ul>
              {data.revoked_keys.map(({ key_id: id, name, display }) => (
                <li key={id}>
                  {name} <code>{display}</code>
                </li>
              ))}
            </ul>
          </>
        )}
        {data.closed_accounts.length === 0 ? null : <p>Accounts opened with them are closed: {data.closed_accounts.join(', ')}.</p>}
      </AccountNote>
    );
  return (
    <AccountForm
      title="Choose a new password"
      action="Set password"
      sending={{ isPending, error }}
      fields={['new_password']}
      onSubmit={mutate}
      aside={
        <p>
          A link works once, for 30 minutes, and only the newest one is valid. <a href="/reset">Request a new one</a>
        </p>
      }
    >
      <NewPasswordField label="New password" name="new_password" />
    </AccountForm>
  );
}

function AskForMail() {
  const { mutate, isPending, error, data, variables } = useMutation({
    mutationFn: (email: string) => service.account.requestPasswordReset({ email }),
  });
  if (data !== undefined && variables !== undefined)
    return (
      <AccountNote title="Check your email">
        <p>
          <MailSent to={data.data.mail_delivery} email={variables} onlyToAccounts /> The link works once, for 30 minutes.
        </p>
      </AccountNote>
    );
  return (
    <AccountForm
      title="Choose a new password"
      action="Send link"
      sending={{ isPending, error }}
      fields={['email']}
      onSubmit={(form) => mutate(String(form.get('email')))}
      aside={
        <p>
          <Link href="/login">Back to login</Link>
        </p>
      }
    >
      <Field label="Email" name="email" type="email" autoComplete="username" required maxLength={254} />
    </AccountForm>
  );
}

export default function ResetPage() {
  const { token, isLost } = useMailedLink('reset_token');
  if (isLost)
    return (
      <LostLink>
        <p>
          The link works once, for 30 minutes, and only the newest one is valid. After that, <a href="/reset">request a new one</a>.
        </p>
      </LostLink>
    );
  return token === '' ? <AskForMail /> : <SetPassword key={token} token={token} />;
}
