import { type FormEvent, useState } from 'react';
import { ProblemNotice } from '../../conditions/problem-notice';
import dialog from '../../controls/dialog.module.css';
import { DialogActions } from '../../controls/dialog-actions';
import { Modal } from '../../controls/modal';
import { OVERLAPS } from './key-values';
import { type Key, type NewKey, useRevokeKey, useRotateKey } from './use-keys';

interface RotateKeyProps {
  readonly record: Key;
  readonly onNewKey: (made: NewKey) => void;
  readonly onClose: () => void;
}

/** A successor with the same scopes, expiry and limits; the old key works on for a while, so that nothing stops in between. */
export function RotateKey({ record, onNewKey, onClose }: RotateKeyProps) {
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
export function RevokeKey({ record, onClose }: Omit<RotateKeyProps, 'onNewKey'>) {
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
