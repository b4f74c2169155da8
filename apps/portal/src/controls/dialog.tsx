import { type ReactNode, useEffect, useState, useId, useRef } from 'react';
import sheet from '../theme/sheet.module.css';
import { CopyButton } from './copy-button';
import dialog from './dialog.module.css';
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

interface SecretDialogProps {
  readonly title: string;
  /** What it is, as its button says it: `the key`. */
  readonly noun: string;
  readonly secret: string;
  /** What stands in its place until it is shown. */
  readonly masked: string;
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

/** The one place where a whole secret stands. It goes with the dialog, and with the page when that is left. */
export function SecretDialog({ title, noun, secret, masked, children, onClose }: SecretDialogProps) {
  const [isShown, setIsShown] = useState(false);
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    // A page that the browser keeps to come back to would keep the secret too.
    addEventListener('pagehide', onClose);
    return () => removeEventListener('pagehide', onClose);
  }, [onClose]);
  return (
    <Modal title={title} onClose={onClose} isHeld>
      <div className={dialog['form']}>
        <p>It is shown this once. Put it where your program reads its secrets; nobody can show it to you again.</p>
        <p className={dialog['secret']}>
          <code>{isShown ? secret : masked}</code>
        </p>
        <p className={sheet['actions']}>
          <CopyButton text={secret} label={`Copy ${noun}`} onCopied={() => setIsCopied(true)} />
          <button type="button" aria-pressed={isShown} onClick={() => setIsShown(!isShown)}>
            {isShown ? 'Hide it' : 'Show it'}
          </button>
        </p>
        {children}
        <p className={sheet['actions']}>
          <button type="button" className={sheet['go']} onClick={onClose}>
            {isCopied || isShown ? 'I have stored it' : 'Close without storing it'}
          </button>
        </p>
      </div>
    </Modal>
  );
}
