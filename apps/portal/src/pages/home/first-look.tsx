import { lazy, Suspense, useState } from 'react';
import { Outline } from '../../status-components/placeholder';
import styles from './home.module.css';
import { MarketNow } from './market-now';

const SandboxConsole = lazy(() => import('./sandbox-console'));

/** Loads nothing until it is opened. */
function SandboxOffer() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section className={`${styles['packet'] ?? ''} ${styles['first'] ?? ''}`} aria-label="Try the API">
      <h2>Your first call, without signing up</h2>
      {isOpen ? (
        <Suspense fallback={<Outline rows={3} label="Creating a key" />}>
          <SandboxConsole />
        </Suspense>
      ) : (
        <>
          <pre
            tabIndex={0}
          >{`curl -H 'x-market-state-api-key: …' \\\n  '${location.origin}/api/public/market-state/latest?view=compact'`}</pre>
          <p>200 calls over seven days on data delayed by ten minutes. Only this page holds the key, and it is gone when you leave.</p>
          <p>
            <button type="button" onClick={() => setIsOpen(true)}>
              Create a free sandbox key
            </button>
          </p>
        </>
      )}
    </section>
  );
}

/** A market and a first call, side by side. */
export default function FirstLook() {
  return (
    <>
      <MarketNow />
      <SandboxOffer />
    </>
  );
}
