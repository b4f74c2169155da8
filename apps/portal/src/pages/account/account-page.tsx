import { useRead, service } from '../../service/client';
import { Table } from '../../controls/table';
import type { Schemas } from '@market-state/client';
import { words } from '@market-state/packet-figures';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { loginAddress } from '../../pages';
import { SESSION_KEY, useSession, ROLE_WORDS, useRoleGap } from '../../service/session';
import { clockBelow, zoned } from '../../time/clock';
import { AccountForm, AccountNote, LostLink } from '../../account/account-form';
import { CurrentPasswordField, Field, CodeField, EitherCodeField } from '../../account/field';
import { forgetMailedLink, useMailedLink } from '../../account/mailed-link';
import styles from './account-page.module.css';
import { Team } from './team';
import { useState } from 'react';
import { encode } from 'uqr';
import forms from '../../account/account.module.css';

/** Two-factor authentication of the account, with its recovery codes while they are shown. */
function SecondFactor({ isOn }: { readonly isOn: boolean }) {
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[] | null>(null);
  if (recoveryCodes !== null) return <RecoveryCodes codes={recoveryCodes} onDone={() => setRecoveryCodes(null)} />;
  if (!isOn) return <TurnOn onCodes={setRecoveryCodes} />;
  return (
    <>
      <NewRecoveryCodes onCodes={setRecoveryCodes} />
      <TurnOff />
    </>
  );
}

interface CodesProps {
  readonly onCodes: (codes: readonly string[]) => void;
}

function TurnOn({ onCodes }: CodesProps) {
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: async (form: FormData) =>
      (await service.account.beginSecondFactor({ current_password: String(form.get('current_password')) })).data,
  });
  if (data !== undefined) return <Confirm created={data} onCodes={onCodes} />;
  return (
    <AccountForm
      title="Two-factor authentication"
      action="Turn on"
      sending={{ isPending, error }}
      fields={['current_password']}
      onSubmit={mutate}
      aside={<p>Logins then also need a code from an authenticator app on your phone.</p>}
    >
      <CurrentPasswordField />
    </AccountForm>
  );
}

interface ConfirmProps extends CodesProps {
  readonly created: Schemas['SecondFactorSecret'];
}

function Confirm({ created, onCodes }: ConfirmProps) {
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (form: FormData) => (await service.account.confirmSecondFactor({ code: String(form.get('code')) })).data,
    async onSuccess({ recovery_codes: codes }) {
      onCodes(codes);
      await queries.invalidateQueries({ queryKey: ['account'] });
    },
  });
  return (
    <AccountForm
      title="Two-factor authentication"
      action="Confirm"
      sending={{ isPending, error }}
      fields={['code']}
      onSubmit={mutate}
      aside={<p>This ends your other sessions.</p>}
    >
      <p>Scan the QR code with an authenticator app, or enter the key by hand. Then enter the code that the app shows.</p>
      <QrCode text={created.otpauth_uri} />
      <p>
        Key: <code>{created.secret}</code>
      </p>
      <CodeField />
    </AccountForm>
  );
}

/** Dark on light in both themes: many readers need that. */
function QrCode({ text }: { readonly text: string }) {
  const { data, size } = encode(text, { border: 4 });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg className={forms['qr']} viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges" role="img" aria-label="QR code of the key">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

function RecoveryCodes({ codes, onDone }: { readonly codes: readonly string[]; readonly onDone: () => void }) {
  return (
    <AccountNote title="Recovery codes">
      <p>Each code works once in place of an authentication code, for example if you lose your phone. They are not shown again.</p>
      <pre>{codes.join('\n')}</pre>
      <button type="button" className={forms['go']} onClick={onDone}>
        I have stored them
      </button>
    </AccountNote>
  );
}

function readChange(form: FormData): Schemas['SecondFactorChangeRequest'] {
  return { current_password: String(form.get('current_password')), code: String(form.get('code')) };
}

function NewRecoveryCodes({ onCodes }: CodesProps) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (form: FormData) => (await service.account.createRecoveryCodes(readChange(form))).data,
    onSuccess: ({ recovery_codes: codes }) => onCodes(codes),
  });
  return (
    <ChangeForm
      title="Two-factor authentication is on"
      action="Create new recovery codes"
      sending={{ isPending, error }}
      onSubmit={mutate}
      note="The earlier recovery codes then no longer work."
    />
  );
}

function TurnOff() {
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (form: FormData) => (await service.account.disableSecondFactor(readChange(form))).data,
    onSuccess: () => queries.invalidateQueries({ queryKey: ['account'] }),
  });
  return (
    <ChangeForm
      title="Turn off two-factor authentication"
      action="Turn off"
      sending={{ isPending, error }}
      onSubmit={mutate}
      note="Logins then need only your password."
    />
  );
}

interface ChangeFormProps {
  readonly title: string;
  readonly action: string;
  readonly sending: { readonly isPending: boolean; readonly error: unknown };
  readonly onSubmit: (values: FormData) => void;
  readonly note: string;
}

function ChangeForm({ note, ...form }: ChangeFormProps) {
  return (
    <AccountForm {...form} fields={['current_password', 'code']} aside={<p>{note}</p>}>
      <CurrentPasswordField />
      <EitherCodeField />
    </AccountForm>
  );
}

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
  return (
    <>
      <AccountForm
        title="Change your email"
        action="Send code"
        sending={{ isPending, error }}
        fields={['new_email', 'current_password']}
        onSubmit={mutate}
        aside={<p>Your current email is {email}. It stays in use until you confirm the new one, which ends your other sessions.</p>}
      >
        <Field label="New email" name="new_email" type="email" autoComplete="email" required maxLength={254} />
        <CurrentPasswordField />
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
      sending={{ isPending, error }}
      fields={['code']}
      onSubmit={mutate}
      aside={sent === undefined ? undefined : <p>{sentNote(sent)}</p>}
    >
      <Field label="Code" name="code" autoComplete="one-time-code" required minLength={20} maxLength={512} defaultValue={code} />
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
  const { data } = useRead(['account', 'audit-log'], (options) => service.account.auditLog({ limit: 20 }, options), { enabled: !isHidden });
  if (data === undefined || data.rows.length === 0) return null;
  return (
    <section className={styles['panel']} aria-label="Audit log">
      <h2>Audit log</h2>
      <Table
        className={styles['log']}
        rows={data.rows}
        keyOf={({ event_id: id }) => id}
        columns={[
          { head: zoned('Time'), cell: (entry) => clockBelow(entry.at_utc) },
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
