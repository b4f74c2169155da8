import type { Params } from '@market-state/client';
import { counted } from '@market-state/packet-figures';
import { useCallback, useState } from 'react';
import { Empty } from '../../conditions/empty';
import { Outline } from '../../conditions/outline';
import { ProblemNotice } from '../../conditions/problem-notice';
import { useSession } from '../../service/session';
import { urlWord, useUrlState } from '../../service/url-state';
import { RevokeKey, RotateKey } from './key-end';
import { KeyForm } from './key-form';
import { type KeyAction, KeyTable } from './key-table';
import { changedValues, keyValues } from './key-values';
import styles from './keys.module.css';
import { NewKeyDialog } from './new-key-dialog';
import { type Key, type NewKey, useCreateKey, useKeys, useSpendByKey, useUpdateKey } from './use-keys';
import { Link } from 'wouter';
import { PAGES } from '../../pages';

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
