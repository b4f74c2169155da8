import { useLeaving } from '../service/visibility';
import { type ReactNode, useState } from 'react';
import sheet from '../theme/sheet.module.css';
import { CopyButton } from './buttons';
import dialog from './dialog.module.css';
import { Modal } from './dialog';

interface SecretDialogProps {
  readonly title: string;
  readonly noun: string;
  readonly secret: string;
  readonly masked: string;
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

/** The only place that shows a whole secret. */
export function SecretDialog({ title, noun, secret, masked, children, onClose }: SecretDialogProps) {
  const [isShown, setIsShown] = useState(false);
  const [isCopied, setIsCopied] = useState(false);
  useLeaving(onClose);
  return (
    <Modal title={title} onClose={onClose} isHeld>
      <div className={dialog['form']}>
        <p>This is shown only once. Store it where your program reads its secrets; it can't be retrieved later.</p>
        <p className={dialog['secret']}>
          <code>{isShown ? secret : masked}</code>
        </p>
        <p className={sheet['actions']}>
          <CopyButton text={secret} label={`Copy ${noun}`} onCopied={() => setIsCopied(true)} />
          <button type="button" aria-pressed={isShown} onClick={() => setIsShown(!isShown)}>
            {isShown ? 'Hide' : 'Show'}
          </button>
        </p>
        {children}
        <p className={sheet['actions']}>
          <button type="button" className={sheet['go']} onClick={onClose}>
            {isCopied || isShown ? 'Done' : "Done, I've saved it"}
          </button>
        </p>
      </div>
    </Modal>
  );
}
