import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { AccountForm, AccountNote } from '../../account/account-form';
import { Field } from '../../account/field';
import { fieldFaults } from '../../account/field-faults';
import { service } from '../../service/client';

export function AskForMail() {
  const { mutate, isPending, error, isSuccess } = useMutation({
    mutationFn: (form: FormData) => service.account.requestPasswordReset({ email: String(form.get('email')) }),
  });
  if (isSuccess)
    return (
      <AccountNote title="Look into your mail">
        <p>If an account has this email, a mail with a link is on its way to it. The link works once, for 30 minutes.</p>
      </AccountNote>
    );
  return (
    <AccountForm
      title="Choose a new password"
      action="Send the link"
      isSending={isPending}
      error={error}
      fields={['email']}
      onSubmit={mutate}
      beside={
        <p>
          <Link href="/login">Back to the login</Link>
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
        fault={fieldFaults(error).get('email')}
      />
    </AccountForm>
  );
}
