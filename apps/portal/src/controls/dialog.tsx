import { type ReactNode, useEffect, useId, useRef } from 'react';
import sheet from '../theme/sheet.module.css';
import styles from './controls.module.css';

interface ModalProps {
  readonly title: string;
  readonly onClose: () => void;
  /** Escape does not close it: what it shows cannot be shown again. */
  readonly isHeld?: boolean;
  readonly children: ReactNode;
}

/** A dialog over the page, open as long as it is there. The browser keeps the focus in it, and gives it back afterwards. */
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
  /** What the button that sends the form says. */
  readonly action: string;
  readonly isDisabled: boolean;
  /** What it costs; nothing by default. */
  readonly cost?: string;
  readonly onClose: () => void;
}

/** The end of a dialog's form: do it, or leave it, and what it costs. */
export function DialogActions({ action, isDisabled, cost = 'costs nothing', onClose }: DialogActionsProps) {
  return (
    <p className={sheet['actions']}>
      <button type="submit" className={sheet['go']} disabled={isDisabled}>
        {action}
      </button>
      <button type="button" onClick={onClose}>
        Leave it
      </button>
      <span className={sheet['soft']}>{cost}</span>
    </p>
  );
}
