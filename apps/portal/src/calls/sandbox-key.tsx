import { useLeaving } from '../service/visibility';
import type { Data } from '@market-state/client';
import { useCallback, useEffect, useState } from 'react';
import { service } from '../service/client';
import { CopyButton } from '../controls/buttons';
import styles from './calls.module.css';

interface StoredKeyProps {
  readonly secret: string;
  readonly masked: string;
  readonly onForget: () => void;
}

export function StoredKey({ secret, masked, onForget }: StoredKeyProps) {
  const [isShown, setIsShown] = useState(false);
  return (
    <p className={styles['key']}>
      <code>{isShown ? secret : masked}</code>
      <button type="button" aria-pressed={isShown} onClick={() => setIsShown(!isShown)}>
        {isShown ? 'Hide' : 'Show'}
      </button>
      <CopyButton text={secret} label="Copy key" />
      <button type="button" onClick={onForget}>
        Forget key
      </button>
    </p>
  );
}

export type SandboxKey = Data<'createSandboxKey'>;

export interface SandboxKeyMaking {
  readonly made: SandboxKey | null;
  readonly isMaking: boolean;
  readonly error: unknown;
  readonly make: () => void;
  readonly forget: () => void;
}

/**
 * Holds a sandbox key in memory only: no storage, no address, no response cache. It is lost with the component and when
 * the page is left.
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
