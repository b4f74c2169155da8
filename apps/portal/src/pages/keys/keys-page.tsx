import type { Params } from '@market-state/client';
import { counted } from '@market-state/packet-figures';
import { useCallback, useState, type FormEvent } from 'react';
import { Link } from 'wouter';
import { Empty, Outline } from '../../conditions/placeholder';
import { ProblemNotice } from '../../conditions/problem-notice';
import { useSession } from '../../service/session';
import { urlWord, useUrlState } from '../../service/url-state';
import { KeyForm, NewKeyDialog } from './key-form';
import { type KeyAction, KeyTable } from './key-table';
import { changedValues, keyValues, OVERLAPS } from './key-values';
import styles from './keys.module.css';
import { type Key, type NewKey, useCreateKey, useKeys, useSpendByKey, useUpdateKey, useRevokeKey, useRotateKey } from './use-keys';
import { PAGES } from '../../pages';
import dialog from '../../controls/dialog.module.css';
import { DialogActions, Modal } from '../../controls/dialog';

interface RotateKeyProps {
  readonly record: Key;
  readonly onNewKey: (made: NewKey) => void;
  readonly onClose: () => void;
}

/** A successor with the same scopes, expiry and limits; the old key works on for a while, so that nothing stops in between. */
function RotateKey({ record, onNewKey, onClose }: RotateKeyProps) {
  const { mutate, isPending, error } = useRotateKey(onNewKey, onClose);
  const submit = (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    mutate({ keyId: record.key_id, overlapSeconds: Number(new FormData(submitted.currentTarget).get('overlap')) });
  };
  return (
    <Modal title={`Rotate ${record.name}`} onClose={onClose}>
      <form onSubmit={submit} className={dialog['form']}>
        <p>
          A new key with the same name, scopes, expiry and limits is made. The old one, <code>{record.display}</code>, works on for the time
          that you choose, and both count against the same limits.
        </p>
        <fieldset>
          <legend>The old key still works for</legend>
          {OVERLAPS.map(([seconds, word]) => (
            <label key={seconds}>
              <input type="radio" name="overlap" value={seconds} defaultChecked={seconds === 86_400} /> {word}
            </label>
          ))}
        </fieldset>
        {error === null ? null : <ProblemNotice error={error} />}
        <DialogActions action="Rotate" isDisabled={isPending} onClose={onClose} />
      </form>
    </Modal>
  );
}

/** Ends a key; its name is typed, because nothing brings it back. */
function RevokeKey({ record, onClose }: Omit<RotateKeyProps, 'onNewKey'>) {
  const { mutate, isPending, error } = useRevokeKey(onClose);
  const [typed, setTyped] = useState('');
  const submit = (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    mutate(record.key_id);
  };
  return (
    <Modal title={`Revoke ${record.name}`} onClose={onClose}>
      <form onSubmit={submit} className={dialog['form']}>
        <p>
          <code>{record.display}</code> stops working within a second, and its open streams end. It cannot be brought back; to change keys
          without a break, rotate it.
        </p>
        <label className={dialog['typed']}>
          Type <b>{record.name}</b> to go on
          <input value={typed} onChange={({ target }) => setTyped(target.value)} autoComplete="off" spellCheck={false} />
        </label>
        {error === null ? null : <ProblemNotice error={error} />}
        <DialogActions action="Revoke" isDisabled={isPending || typed.trim() !== record.name.trim()} onClose={onClose} />
      </form>
    </Modal>
  );
}

const SHOWN = urlWord(['active', 'all'], 'active');

/** What is open over the list. */
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
          <input type="checkbox" checked={shown === 'all'} onChange={({ target }) => setShown(target.checked ? 'all' : 'active')} /> expired
          and revoked ones too
        </label>
        <button type="button" className={styles['go']} onClick={() => setOpen('create')}>
          Make a key
        </button>
      </div>
      {keys.error === null ? null : <ProblemNotice error={keys.error} retry={() => void keys.refetch()} />}
      {spend.error === null ? null : <ProblemNotice error={spend.error} retry={() => void spend.refetch()} />}
      {keys.isPending ? <Outline rows={4} label="Loading the keys" /> : null}
      {keys.data !== undefined && rows.length === 0 ? (
        <Empty why="No key is active.">
          Programs need one to read packets: make a key, copy it once, and run its first call. The browser needs none.
        </Empty>
      ) : null}
      {rows.length === 0 ? null : <KeyTable keys={rows} spend={spend.data} onAct={(action, record) => setOpen({ action, record })} />}
      <p className={styles['note']}>
        Making, changing and ending keys costs nothing. Of a key only its first and last characters are kept to show; a lost one is rotated.
        What a key can do is tried in the <Link href={PAGES.console.pattern}>console</Link>.
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
  const { mutate, isPending, error } = useCreateKey(onNewKey, onClose);
  return (
    <KeyForm
      isSending={isPending}
      error={error}
      onClose={onClose}
      onSubmit={(form) => mutate({ ...keyValues(form), kind: form.get('kind') as NonNullable<Params<'createKey'>['kind']> })}
    />
  );
}

function ChangeKey({ record, onClose }: { readonly record: Key; readonly onClose: () => void }) {
  const { mutate, isPending, error } = useUpdateKey(onClose);
  return (
    <KeyForm
      record={record}
      isSending={isPending}
      error={error}
      onClose={onClose}
      onSubmit={(form) => mutate({ key_id: record.key_id, ...changedValues(form, record) })}
    />
  );
}
