import { lazy, Suspense, useState } from 'react';
import { Outline } from '../../conditions/outline';
import styles from './home.module.css';

const SandboxConsole = lazy(() => import('./console/sandbox-console'));

/** A key without sign-up, to try the service on this page; nothing of it is loaded before it is wanted. */
export function SandboxOffer() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section className={styles['packet']} aria-label="Try it with a key">
      <h2>Try it with a key, without sign-up</h2>
      {isOpen ? (
        <Suspense fallback={<Outline rows={3} label="Making a key" />}>
          <SandboxConsole />
        </Suspense>
      ) : (
        <>
          <p>200 calls in seven days, on data ten minutes old. The key is held by this page alone and is gone when you leave it.</p>
          <p>
            <button type="button" onClick={() => setIsOpen(true)}>
              Make a sandbox key, free
            </button>
          </p>
        </>
      )}
    </section>
  );
}
