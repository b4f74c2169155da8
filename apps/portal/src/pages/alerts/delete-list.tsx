import type { FormEvent } from 'react';
import { ProblemNotice } from '../../conditions/problem-notice';
import dialog from '../../controls/dialog.module.css';
import { DialogActions } from '../../controls/dialog-actions';
import { Modal } from '../../controls/modal';
import { costWords, useDeleteAlert, useDeleteWatchlist } from './use-alerts';

/** What is about to be deleted. */
export interface Doomed {
  readonly kind: 'alert' | 'watchlist';
  readonly id: string;
  readonly name: string;
}

interface DeleteListProps {
  readonly doomed: Doomed;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

/** Ends an alert or a watchlist; what of it fires is told to have ended. */
export function DeleteList({ doomed: { kind, id, name }, onDeleted, onClose }: DeleteListProps) {
  const done = (): void => {
    onDeleted();
    onClose();
  };
  const alert = useDeleteAlert(done);
  const watchlist = useDeleteWatchlist(done);
  const { mutate, isPending, error } = kind === 'alert' ? alert : watchlist;
  const submit = (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    mutate(id);
  };
  const cost = kind === 'alert' ? costWords('deleteAlert', { alert_id: id }) : costWords('deleteWatchlist', { watchlist_id: id });
  return (
    <Modal title={`Delete the ${kind}`} onClose={onClose}>
      <form onSubmit={submit} className={dialog['form']}>
        <p>{name} is looked at no more. What of it fires now is told once more, as ended. To stop its messages for a while, mute it.</p>
        {error === null ? null : <ProblemNotice error={error} />}
        <DialogActions action="Delete it" isDisabled={isPending} cost={cost} onClose={onClose} />
      </form>
    </Modal>
  );
}
