import { fieldFaults } from '../account/field-errors';
import { FieldFaults } from '../account/field';
import dialog from './dialog.module.css';
import { ProblemNotice } from '../status-components/conditions';
import { onForm } from '../account/form';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { type Role, useRoleGap } from '../service/session';
import sheet from '../theme/sheet.module.css';
import styles from './controls.module.css';

interface ModalProps {
  readonly title: string;
  readonly onClose: () => void;
  /** Ignores Escape: a secret shown here cannot be shown again. */
  readonly isHeld?: boolean;
  readonly children: ReactNode;
}

export function Modal({ title, onClose, isHeld = false, children }: ModalProps) {
  const shownDialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const shown = shownDialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={shownDialog}
      className={styles['modal']}
      aria-labelledby={id}
      onClose={onClose}
      onCancel={(cancelled) => {
        if (isHeld) cancelled.preventDefault();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

interface DialogActionsProps {
  readonly action: string;
  readonly isDisabled: boolean;
  /** Role that a session's account needs. */
  readonly needs?: Role;
  readonly cost?: string;
  readonly onClose: () => void;
}

export function DialogActions({ action, isDisabled, needs = 'member', cost = 'free', onClose }: DialogActionsProps) {
  const gap = useRoleGap(needs);
  return (
    <p className={sheet['actions']}>
      <button type="submit" className={sheet['go']} disabled={isDisabled || gap !== undefined}>
        {action}
      </button>
      <button type="button" onClick={onClose}>
        Cancel
      </button>
      <span className={sheet['soft']}>{gap ?? cost}</span>
    </p>
  );
}

interface FormDialogProps extends Omit<DialogActionsProps, 'isDisabled'> {
  readonly title: string;
  readonly onSubmit: (values: FormData) => void;
  readonly sending: { readonly isPending: boolean; readonly error: unknown };
  /** The form can't be sent yet. */
  readonly isDisabled?: boolean;
  /** Fields that show their own faults. */
  readonly fields?: readonly string[];
  readonly children: ReactNode;
}

/** A dialog that is one form. */
export function FormDialog({ title, onSubmit, sending, isDisabled = false, fields = [], children, ...actions }: FormDialogProps) {
  return (
    <Modal title={title} onClose={actions.onClose}>
      <form onSubmit={onForm(onSubmit)} className={dialog['form']}>
        <FieldFaults value={fieldFaults(sending.error)}>{children}</FieldFaults>
        <ProblemNotice error={sending.error} fields={fields} />
        <DialogActions {...actions} isDisabled={isDisabled || sending.isPending} />
      </form>
    </Modal>
  );
}
