import { lazy, Suspense } from 'react';
import { Link } from 'wouter';
import { Outline } from '../../conditions/outline';
import { WhenNear } from '../../conditions/when-near';
import { PAGES } from '../../pages';
import { useSession } from '../../service/session';
import styles from './home.module.css';
import { SampleCheck } from './sample-check';
import { SandboxOffer } from './sandbox-offer';

const Evidence = lazy(() => import('./evidence'));

export default function HomePage() {
  const { data: session } = useSession();
  return (
    <div className={styles['page']}>
      <header className={styles['head']}>
        <h1>Is it real? Recompute a packet here.</h1>
        <p>
          Every ten seconds Market State says what state each perpetual-contract market is in, from which numbers, and what speaks against
          it, in a signed packet that anyone can make again from the recorded log, byte for byte.
        </p>
        <p className={styles['ways']}>
          <Link href={PAGES.live.pattern}>Live view</Link>
          <Link href={PAGES.how.pattern}>How a packet comes about</Link>
          <Link href={PAGES.proof.pattern}>What is proved</Link>
          {session === undefined ? (
            <>
              <Link href={PAGES.login.pattern}>Log in</Link>
              <Link href={PAGES.claim.pattern}>Open an account with a key</Link>
            </>
          ) : null}
        </p>
      </header>
      <SampleCheck />
      <SandboxOffer />
      <WhenNear>
        <Suspense fallback={<Outline rows={8} />}>
          <Evidence />
        </Suspense>
      </WhenNear>
    </div>
  );
}
