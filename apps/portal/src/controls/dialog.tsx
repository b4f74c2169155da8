import { type ReactNode, useEffect, useId, useRef } from 'react';
import { type Role, useRoleGap } from '../service/role';
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
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
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
