import type { Schemas } from '@market-state/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { encode } from 'uqr';
import { service } from '../../service/client';
import { AccountForm, AccountNote } from '../../account/account-form';
import styles from '../../account/account.module.css';
import { CodeField, CurrentPasswordField, EitherCodeField } from '../../account/field';
import { fieldFaults } from '../../account/field-errors';

/** Two-factor authentication of the account, with its recovery codes while they are shown. */
export function SecondFactor({ isOn }: { readonly isOn: boolean }) {
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
      isSending={isPending}
      error={error}
      fields={['current_password']}
      onSubmit={mutate}
      aside={<p>Logins then also need a code from an authenticator app on your phone.</p>}
    >
      <CurrentPasswordField fault={fieldFaults(error).get('current_password')} />
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
      isSending={isPending}
      error={error}
      fields={['code']}
      onSubmit={mutate}
      aside={<p>This ends your other sessions.</p>}
    >
      <p>Scan the QR code with an authenticator app, or enter the key by hand. Then enter the code that the app shows.</p>
      <QrCode text={created.otpauth_uri} />
      <p>
        Key: <code>{created.secret}</code>
      </p>
      <CodeField fault={fieldFaults(error).get('code')} />
    </AccountForm>
  );
}

/** Dark on light in both themes: many readers need that. */
function QrCode({ text }: { readonly text: string }) {
  const { data, size } = encode(text, { border: 4 });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg className={styles['qr']} viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges" role="img" aria-label="QR code of the key">
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
      <button type="button" className={styles['go']} onClick={onDone}>
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
      isSending={isPending}
      error={error}
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
      isSending={isPending}
      error={error}
      onSubmit={mutate}
      note="Logins then need only your password."
    />
  );
}

interface ChangeFormProps {
  readonly title: string;
  readonly action: string;
  readonly isSending: boolean;
  readonly error: unknown;
  readonly onSubmit: (values: FormData) => void;
  readonly note: string;
}

function ChangeForm({ note, ...form }: ChangeFormProps) {
  const faults = fieldFaults(form.error);
  return (
    <AccountForm {...form} fields={['current_password', 'code']} aside={<p>{note}</p>}>
      <CurrentPasswordField fault={faults.get('current_password')} />
      <EitherCodeField fault={faults.get('code')} />
    </AccountForm>
  );
}
