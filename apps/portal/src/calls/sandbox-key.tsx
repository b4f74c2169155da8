import type { Data } from '@market-state/client';
import { useCallback, useEffect, useState } from 'react';
import { service } from '../service/client';
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

export type SandboxKey = Data<'createSandboxKey'>;

/** A sandbox key that is made when it is asked for, and known to this component alone. */
export interface SandboxKeyMaking {
  readonly made: SandboxKey | null;
  readonly isMaking: boolean;
  /** Null where nothing went wrong. */
  readonly error: unknown;
  /** Makes one; it is free. */
  readonly make: () => void;
  readonly forget: () => void;
}

/**
 * Makes a sandbox key and holds it in memory alone: no storage, no address, no cache of answers; it goes with the component, and with the
 * page when that is left.
 */
export function useSandboxKey(isMadeAtOnce = false): SandboxKeyMaking {
  const [made, setMade] = useState<SandboxKey | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [attempt, setAttempt] = useState(isMadeAtOnce ? 1 : 0);
  useEffect(() => {
    if (attempt === 0) return undefined;
    const stop = new AbortController();
    setError(null);
    service.account.createSandboxKey({ signal: stop.signal }).then(
      ({ data }) => setMade(data),
      (refused: unknown) => {
        if (!stop.signal.aborted) setError(refused);
      },
    );
    return () => stop.abort();
  }, [attempt]);
  const forget = useCallback((): void => {
    setMade(null);
    setError(null);
    setAttempt(0);
  }, []);
  useLeaving(forget);
  return { made, isMaking: attempt > 0 && made === null && error === null, error, make: () => setAttempt((before) => before + 1), forget };
}

/** Calls when the page is left: one that the browser keeps to come back to would keep what it holds too. */
export function useLeaving(leave: () => void): void {
  useEffect(() => {
    addEventListener('pagehide', leave);
    return () => removeEventListener('pagehide', leave);
  }, [leave]);
}
