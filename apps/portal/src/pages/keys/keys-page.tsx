import { whole } from '../../market/numbers';
import { Hidden, Table } from '../../controls/table';
import type { Params, Schemas } from '@market-state/client';
import { counted } from '@market-state/packet-figures';
import { useCallback, useState } from 'react';
import { Link } from 'wouter';
import { Empty, Outline, ProblemNotice } from '../../status-components/conditions';
import { useSession } from '../../service/session';
import { urlWord, useUrlState } from '../../service/url-state';
import { KeyForm, NewKeyDialog } from './key-form';
import { changedValues, keyValues, OVERLAPS, windowWords } from './key-values';
import styles from './keys.module.css';
import { type Key, type NewKey, useCreateKey, useKeys, useSpendByKey, useUpdateKey, useRevokeKey, useRotateKey } from './use-keys';
import { PAGES } from '../../pages';
import { ChangeButton } from '../../controls/buttons';
import dialog from '../../controls/dialog.module.css';
import { FormDialog } from '../../controls/dialog';
import records from '../../controls/records.module.css';
import { clockBelow, zoned } from '../../time/clock';

interface RotateKeyProps {
  readonly record: Key;
  readonly onNewKey: (made: NewKey) => void;
  readonly onClose: () => void;
}

/** The old key keeps working for a chosen time, so that clients can switch without interruption. */
function RotateKey({ record, onNewKey, onClose }: RotateKeyProps) {
  const sending = useRotateKey(onNewKey, onClose);
  return (
    <FormDialog
      title={`Rotate ${record.name}`}
      onSubmit={(form) => sending.mutate({ keyId: record.key_id, overlapSeconds: Number(form.get('overlap')) })}
      sending={sending}
      action="Rotate"
      onClose={onClose}
    >
      <p>
        Creates a new key with the same name, scopes, expiry and limits. The old key, <code>{record.display}</code>, keeps working for the
        time you choose. Both share the same limits.
      </p>
      <fieldset>
        <legend>Keep the old key working for</legend>
        {OVERLAPS.map(([seconds, word]) => (
          <label key={seconds}>
            <input type="radio" name="overlap" value={seconds} defaultChecked={seconds === 86_400} /> {word}
          </label>
        ))}
      </fieldset>
    </FormDialog>
  );
}

/** Asks for the name, because revocation is permanent. */
function RevokeKey({ record, onClose }: Omit<RotateKeyProps, 'onNewKey'>) {
  const sending = useRevokeKey(onClose);
  const [typed, setTyped] = useState('');
  return (
    <FormDialog
      title={`Revoke ${record.name}`}
      onSubmit={() => sending.mutate(record.key_id)}
      sending={sending}
      action="Revoke"
      isDisabled={typed.trim() !== record.name.trim()}
      onClose={onClose}
    >
      <p>
        <code>{record.display}</code> stops working within a second and its open streams close. This can't be undone. To replace the key
        without interruption, rotate it.
      </p>
      <label className={dialog['typed']}>
        Type <b>{record.name}</b> to confirm
        <input value={typed} onChange={({ target }) => setTyped(target.value)} autoComplete="off" spellCheck={false} />
      </label>
    </FormDialog>
  );
}

const SHOWN = urlWord(['active', 'all'], 'active');

type Open = 'create' | { readonly action: KeyAction; readonly record: Key } | null;

export default function KeysPage() {
  const keys = useKeys();
  const spend = useSpendByKey();
  const { data: session } = useSession();
  const [shown, setShown] = useUrlState('show', SHOWN);
  const [open, setOpen] = useState<Open>(null);
  const [made, setMade] = useState<NewKey | null>(null);
  const close = useCallback(() => setOpen(null), []);
  const forget = useCallback(() => setMade(null), []);
  const all = keys.data ?? [];
  const active = all.filter(({ state }) => state === 'active');
  const rows = shown === 'all' ? all : active;
  const keysMax = session?.plan?.limits.active_keys;

  return (
    <>
      <div className={styles['bar']}>
        <h1>Keys</h1>
        {keys.data === undefined ? null : (
          <span className={styles['soft']}>
            {active.length}
            {keysMax === undefined ? ' active' : ` of ${counted(keysMax, 'active key')}`}
          </span>
        )}
        <label className={styles['push']}>
          <input type="checkbox" checked={shown === 'all'} onChange={({ target }) => setShown(target.checked ? 'all' : 'active')} /> show
          expired and revoked
        </label>
        <ChangeButton className={styles['go']} onClick={() => setOpen('create')}>
          Create key
        </ChangeButton>
      </div>
      <ProblemNotice error={keys.error} retry={() => void keys.refetch()} />
      <ProblemNotice error={spend.error} retry={() => void spend.refetch()} />
      {keys.isPending ? <Outline rows={4} label="Loading keys" /> : null}
      {keys.data !== undefined && rows.length === 0 ? (
        <Empty why="No active keys.">
          Programs need a key to read packets: create one, copy it, then run its first call. Your browser doesn't need one.
        </Empty>
      ) : null}
      {rows.length === 0 ? null : <KeyTable keys={rows} spend={spend.data} onAct={(action, record) => setOpen({ action, record })} />}
      <p className={styles['note']}>
        Creating, changing and revoking keys is free. Only the first and last characters of a key are stored for display; if you lose one,
        rotate it. Try a key in the <Link href={PAGES.console.pattern}>console</Link>.
      </p>
      <OpenDialog open={open} onNewKey={setMade} onClose={close} />
      {made === null ? null : <NewKeyDialog made={made} onClose={forget} />}
    </>
  );
}

interface OpenDialogProps {
  readonly open: Open;
  readonly onNewKey: (made: NewKey) => void;
  readonly onClose: () => void;
}

function OpenDialog({ open, onNewKey, onClose }: OpenDialogProps) {
  if (open === null) return null;
  if (open === 'create') return <CreateKey onNewKey={onNewKey} onClose={onClose} />;
  const { action, record } = open;
  switch (action) {
    case 'change':
      return <ChangeKey record={record} onClose={onClose} />;
    case 'rotate':
      return <RotateKey record={record} onNewKey={onNewKey} onClose={onClose} />;
    case 'revoke':
      return <RevokeKey record={record} onClose={onClose} />;
  }
}

function CreateKey({ onNewKey, onClose }: Omit<OpenDialogProps, 'open'>) {
  const sending = useCreateKey(onNewKey, onClose);
  return (
    <KeyForm
      sending={sending}
      onClose={onClose}
      onSubmit={(form) => sending.mutate({ ...keyValues(form), kind: form.get('kind') as NonNullable<Params<'createKey'>['kind']> })}
    />
  );
}

function ChangeKey({ record, onClose }: { readonly record: Key; readonly onClose: () => void }) {
  const sending = useUpdateKey(onClose);
  return (
    <KeyForm
      record={record}
      sending={sending}
      onClose={onClose}
      onSubmit={(form) => sending.mutate({ key_id: record.key_id, ...changedValues(form, record) })}
    />
  );
}

type KeyAction = 'change' | 'rotate' | 'revoke';

interface KeyTableProps {
  readonly keys: readonly Key[];
  /** Undefined while loading. */
  readonly spend: ReadonlyMap<string, Schemas['KeySpend']> | undefined;
  readonly onAct: (action: KeyAction, key: Key) => void;
}

function KeyTable({ keys, spend, onAct }: KeyTableProps) {
  return (
    <Table
      className={records['table']}
      caption="Keys, newest first"
      rows={keys}
      keyOf={({ key_id: id }) => id}
      rowProps={({ state }) => ({ 'data-off': state !== 'active' })}
      columns={[
        {
          head: 'Key',
          cell: ({ name, kind, display }) => (
            <>
              {name} {kind === 'test' ? <span className={records['mark']}>test</span> : null}
              <code>{display}</code>
            </>
          ),
        },
        {
          head: 'State',
          cell: (record) => (
            <>
              {record.state}
              <span className={records['more']}>{endWords(record)}</span>
            </>
          ),
        },
        { head: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
        {
          head: 'Limits',
          cell: ({ credit_ceiling: ceiling, rate_limit: limit }) => (
            <>
              <Ceiling of={ceiling} />
              {limit === null ? null : <span className={records['more']}>{counted(limit.calls_per_minute, 'call')} per minute</span>}
            </>
          ),
        },
        {
          head: 'Credits spent in 31 days',
          cell: ({ key_id: id }) => (spend === undefined ? '…' : <Spend spend={spend.get(id) ?? null} keyId={id} />),
          className: records['number'],
        },
        { head: zoned('Last used'), cell: ({ last_used_utc: used }) => (used === null ? 'never' : clockBelow(used, 'minute')) },
        { head: zoned('Created'), cell: ({ created_utc: created }) => clockBelow(created, 'minute') },
        {
          head: <Hidden>Actions</Hidden>,
          cell: (record) =>
            record.state === 'active'
              ? ACTIONS.map(([action, word]) => (
                  <ChangeButton key={action} onClick={() => onAct(action, record)} aria-label={`${word} ${record.name} ${record.display}`}>
                    {word}
                  </ChangeButton>
                ))
              : null,
          className: records['acts'],
        },
      ]}
    />
  );
}

const ACTIONS: readonly (readonly [KeyAction, string])[] = [
  ['change', 'Change'],
  ['rotate', 'Rotate'],
  ['revoke', 'Revoke'],
];

function endWords({ state, expires_utc: expires, revoked_utc: revoked }: Key): string {
  if (revoked !== null) return clockBelow(revoked, 'minute');
  if (expires === null) return 'does not expire';
  return `${state === 'expired' ? '' : 'until '}${clockBelow(expires, 'minute')}`;
}

function Spend({ spend, keyId }: { readonly spend: Schemas['KeySpend'] | null; readonly keyId: string }) {
  if (spend === null) return 0;
  return (
    <>
      <Link href={`/usage?key_id=${keyId}`}>{whole(spend.market_state_credits)}</Link>
      {spend.export_credits === 0 ? null : <span className={records['more']}>and {whole(spend.export_credits)} export</span>}
    </>
  );
}

function Ceiling({ of: ceiling }: { readonly of: Schemas['CreditCeiling'] }) {
  if (ceiling === null) return 'no limit';
  const { credits, window_seconds: seconds, spent, resets_at_utc: resets } = ceiling;
  return (
    <>
      {whole(spent)} of {counted(credits, 'credit')} per {windowWords(seconds)}
      <meter
        className={records['meter']}
        min={0}
        max={credits}
        value={Math.min(credits, spent)}
        aria-label={`${spent} of ${credits} credits in this window spent`}
      />
      <span className={records['more']}>resets {clockBelow(resets, 'monthMinute')}</span>
    </>
  );
}
