import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { AccountForm, AccountNote, LostLink } from '../../account/account-form';
import { NewPasswordField } from '../../account/field';
import { forgetMailedLink, useMailedLink } from '../../account/mailed-link';
import { service } from '../../service/client';
import { noteLogin } from '../../service/session';

/** Accepts an invitation from a mailed link. */
export default function JoinPage() {
  const queries = useQueryClient();
  const { token, email, isLost } = useMailedLink('invitation_token');
  const { mutate, isPending, error, isSuccess } = useMutation({
    mutationFn: (form: FormData) => service.team.acceptInvitation({ invitation_token: token, password: String(form.get('password')) }),
    onSuccess() {
      forgetMailedLink();
      return noteLogin(queries);
    },
  });
  if (isSuccess)
    return (
      <AccountNote title="Welcome to the team">
        <p>You are logged in.</p>
        <p>
          <Link href="/live">View the markets</Link>, or <Link href="/account">see your team</Link>.
        </p>
      </AccountNote>
    );
  if (isLost)
    return (
      <LostLink>
        <p>The link works once, for 7 days. After that, ask an owner of the team for a new invitation.</p>
      </LostLink>
    );
  if (token === '')
    return (
      <AccountNote title="Join a team">
        <p>Open the link in your invitation email. An owner of a team can send one from their account page.</p>
      </AccountNote>
    );
  return (
    <AccountForm
      key={token}
      title="Join a team"
      action="Join"
      sending={{ isPending, error }}
      fields={['password']}
      onSubmit={mutate}
      aside={<p>You choose a password for your own account in the team.</p>}
    >
      {email === '' ? null : (
        <p>
          This invitation is for <strong>{email}</strong>.
        </p>
      )}
      {/* Password managers save the password for this email. */}
      <input
        className="visually-hidden"
        type="email"
        name="email"
        autoComplete="username"
        value={email}
        readOnly
        tabIndex={-1}
        aria-hidden
      />
      <NewPasswordField label="Password" name="password" />
    </AccountForm>
  );
}
