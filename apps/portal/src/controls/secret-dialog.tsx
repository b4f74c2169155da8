import { type ReactNode, useEffect, useState } from 'react';
import sheet from '../theme/sheet.module.css';
import { CopyButton } from './copy-button';
import dialog from './dialog.module.css';
import { Modal } from './dialog';

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
