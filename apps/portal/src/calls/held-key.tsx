import { useState } from 'react';
import { CopyButton } from '../controls/copy-button';
import styles from './calls.module.css';

interface HeldKeyProps {
  readonly secret: string;
  /** As it can be shown to anyone. */
  readonly masked: string;
  readonly onForget: () => void;
}

/** A key that this page holds: shown when wanted, copied, forgotten. */
export function HeldKey({ secret, masked, onForget }: HeldKeyProps) {
  const [isShown, setIsShown] = useState(false);
  return (
    <p className={styles['key']}>
      <code>{isShown ? secret : masked}</code>
      <button type="button" aria-pressed={isShown} onClick={() => setIsShown(!isShown)}>
        {isShown ? 'Hide it' : 'Show it'}
      </button>
      <CopyButton text={secret} label="Copy the key" />
      <button type="button" onClick={onForget}>
        Forget it
      </button>
    </p>
  );
}
