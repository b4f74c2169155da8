import { type Data, MarketState } from '@market-state/client';
import { useEffect, useMemo, useState } from 'react';
import { Outline } from '../../../conditions/outline';
import { ProblemNotice } from '../../../conditions/problem-notice';
import { CopyButton } from '../../../controls/copy-button';
import { service } from '../../../service/client';
import { clock } from '../../../time/clock';
import { Console } from './console';
import styles from './console.module.css';

type SandboxKey = Data<'createSandboxKey'>;

/** Most that one call of the console may cost. */
const CREDITS_MAX = 10;

/**
 * Makes a sandbox key, shows it once and tries it. The key is in this component's memory alone: no storage, no address, no cache of
 * answers; it goes with the component, and with the page when that is left.
 */
export default function SandboxConsole() {
  const [made, setMade] = useState<SandboxKey | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [attempt, setAttempt] = useState(1);
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
  const forget = (): void => {
    setMade(null);
    setAttempt(0);
  };
  useEffect(() => {
    // A page that the browser keeps to come back to would keep the key too.
    addEventListener('pagehide', forget);
    return () => removeEventListener('pagehide', forget);
  }, []);
  if (error !== null) return <ProblemNotice error={error} retry={() => setAttempt(attempt + 1)} />;
  if (made !== null) return <KeyInHand made={made} onForget={forget} />;
  if (attempt > 0) return <Outline rows={3} label="Making a key" />;
  return (
    <p>
      The key is forgotten here.{' '}
      <button type="button" onClick={() => setAttempt(1)}>
        Make another, free
      </button>
    </p>
  );
}

function KeyInHand({ made: { key, record, calls }, onForget }: { readonly made: SandboxKey; readonly onForget: () => void }) {
  const [isShown, setIsShown] = useState(false);
  const client = useMemo(() => new MarketState({ baseUrl: location.origin, apiKey: key, maxCreditsPerCall: CREDITS_MAX }), [key]);
  return (
    <>
      <p>
        Your key, for {calls} calls{record.expires_utc === null ? '' : ` until ${clock(Date.parse(record.expires_utc), 'minute')}`}. It
        cannot be shown again once you leave this page.
      </p>
      <p className={styles['key']}>
        <code>{isShown ? key : record.display}</code>
        <button type="button" aria-pressed={isShown} onClick={() => setIsShown(!isShown)}>
          {isShown ? 'Hide it' : 'Show it'}
        </button>
        <CopyButton text={key} label="Copy the key" />
        <button type="button" onClick={onForget}>
          Forget it
        </button>
      </p>
      <Console client={client} />
    </>
  );
}
