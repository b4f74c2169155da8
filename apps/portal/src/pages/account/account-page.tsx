import { Table } from '../../controls/table';
import type { Schemas } from '@market-state/client';
import { words } from '@market-state/packet-figures';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { loginAddress } from '../../pages';
import { read, service } from '../../service/client';
import { SESSION_KEY, useSession } from '../../service/session';
import { clockBelow, zoned } from '../../time/clock';
import { AccountForm, AccountNote, LostLink } from '../../account/account-form';
import { CurrentPasswordField, Field } from '../../account/field';
import { fieldFaults } from '../../account/field-errors';
import { forgetMailedLink, useMailedLink } from '../../account/mailed-link';
import styles from './account-page.module.css';
import { ROLE_WORDS, useRoleGap } from '../../service/role';
import { SecondFactor } from './second-factor';
import { Team } from './team';

function RequestChange({ email }: { readonly email: string }) {
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: async (form: FormData) => {
      const newEmail = String(form.get('new_email'));
      const { data: answer } = await service.account.requestEmailChange({
        new_email: newEmail,
        current_password: String(form.get('current_password')),
      });
      return { newEmail, delivery: answer.mail_delivery };
    },
  });
  const faults = fieldFaults(error);
  return (
    <>
      <AccountForm
        title="Change your email"
        action="Send code"
        isSending={isPending}
        error={error}
        fields={['new_email', 'current_password']}
        onSubmit={mutate}
        aside={<p>Your current email is {email}. It stays in use until you confirm the new one, which ends your other sessions.</p>}
      >
        <Field
          label="New email"
          name="new_email"
          type="email"
          autoComplete="email"
          required
          maxLength={254}
          fault={faults.get('new_email')}
        />
        <CurrentPasswordField fault={faults.get('current_password')} />
      </AccountForm>
      {data === undefined ? null : <ConfirmChange code="" sent={data} />}
    </>
  );
}

interface ConfirmChangeProps {
  /** From a mailed link; empty to enter it. */
  readonly code: string;
  readonly sent?: { readonly newEmail: string; readonly delivery: Schemas['MailDelivery'] };
}

function ConfirmChange({ code, sent }: ConfirmChangeProps) {
  const queries = useQueryClient();
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: async (form: FormData) => (await service.account.confirmEmailChange({ code: String(form.get('code')).trim() })).data,
    async onSuccess() {
      forgetMailedLink();
      await queries.invalidateQueries({ queryKey: SESSION_KEY });
    },
  });
  if (data !== undefined)
    return (
      <AccountNote title="Your email has been changed">
        <p>Log in as {data.email} from now on. Your other sessions have ended.</p>
      </AccountNote>
    );
  return (
    <AccountForm
      title="Confirm your new email"
      action="Confirm"
      isSending={isPending}
      error={error}
      fields={['code']}
      onSubmit={mutate}
      aside={sent === undefined ? undefined : <p>{sentNote(sent)}</p>}
    >
      <Field
        label="Code"
        name="code"
        autoComplete="one-time-code"
        required
        minLength={20}
        maxLength={512}
        defaultValue={code}
        fault={fieldFaults(error).get('code')}
      />
    </AccountForm>
  );
}

function sentNote({ newEmail, delivery }: NonNullable<ConfirmChangeProps['sent']>): string {
  return delivery === 'outbox_folder'
    ? `This installation has no mail server. The email for ${newEmail} is in its outbox folder.`
    : `An email with a code for ${newEmail} is on its way. The code works once, for 30 minutes.`;
}

/** Newest actions; the API pages through the rest. */
function AuditLog({ accountId }: { readonly accountId: string }) {
  const isHidden = useRoleGap('member') !== undefined;
  const { data } = useQuery({
    queryKey: ['account', 'audit-log'],
    queryFn: ({ signal }) => read(service.account.auditLog({ limit: 20 }, { signal })),
    enabled: !isHidden,
  });
  if (data === undefined || data.rows.length === 0) return null;
  return (
    <section className={styles['panel']} aria-label="Audit log">
      <h2>Audit log</h2>
      <Table
        className={styles['log']}
        rows={data.rows}
        keyOf={({ event_id: id }) => id}
        columns={[
          { head: zoned('Time'), cell: (entry) => clockBelow(Date.parse(entry.at_utc)) },
          { head: 'Action', cell: ({ action, role }) => `${words(action)}${role === null ? '' : ` (${ROLE_WORDS[role]})`}` },
          {
            head: 'By',
            cell: (entry) =>
              entry.account_id === accountId ? 'you' : (entry.account_email ?? entry.account_id ?? entry.key_id ?? 'operator'),
          },
          { head: 'Target', cell: (entry) => entry.subject_email ?? entry.subject_id ?? 'none' },
          { head: 'IP address', cell: (entry) => entry.address ?? 'none' },
        ]}
      />
    </section>
  );
}

export default function AccountPage() {
  const { data } = useSession();
  const { token, isLost } = useMailedLink('email_code');
  if (data === undefined || data.account === null)
    return (
      <AccountNote title="Change your email">
        <p>
          <Link href={loginAddress('/account')}>Log in</Link> first. If you followed a link in an email, open it again after that.
        </p>
      </AccountNote>
    );
  if (isLost)
    return (
      <LostLink>
        <p>
          The code works once, for 30 minutes. After that, <a href="/account">request a new one</a>.
        </p>
      </LostLink>
    );
  return (
    <>
      <div className={styles['bar']}>
        <h1>Account and team</h1>
      </div>
      <div className={styles['panels']}>
        <div className={styles['forms']}>
          {token === '' ? <RequestChange email={data.account.email} /> : <ConfirmChange key={token} code={token} />}
          <SecondFactor isOn={data.account.second_factor_enabled} />
        </div>
        <Team />
        <AuditLog accountId={data.account.account_id} />
      </div>
    </>
  );
}
