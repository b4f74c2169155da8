import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { AccountForm, AccountNote } from '../../account/account-form';
import { Field } from '../../account/field';
import { fieldFaults } from '../../account/field-faults';
import { MailSent } from '../../account/mail-sent';
import { service } from '../../service/client';

export function AskForMail() {
  const { mutate, isPending, error, data, variables } = useMutation({
    mutationFn: (email: string) => service.account.requestPasswordReset({ email }),
  });
  if (data !== undefined && variables !== undefined)
    return (
      <AccountNote title="Check your mail">
        <p>
          <MailSent to={data.data.mail_delivery} email={variables} onlyToAccounts /> The link works once, for 30 minutes.
        </p>
      </AccountNote>
    );
  return (
    <AccountForm
      title="Choose a new password"
      action="Send the link"
      isSending={isPending}
      error={error}
      fields={['email']}
      onSubmit={(form) => mutate(String(form.get('email')))}
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
