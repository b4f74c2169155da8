import { Link } from 'wouter';
import { PAGES } from '../../pages';
import { ConstructionSteps } from './construction-steps';
import { DelayedPackets } from './delayed-packets';
import styles from './home.module.css';
import { OwnProofs } from './own-proofs';
import { SampleCheck } from './sample-check';

export default function HomePage() {
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
          <Link href={PAGES.login.pattern}>Log in</Link>
          <Link href={PAGES.claim.pattern}>Open an account with a key</Link>
        </p>
      </header>
      <SampleCheck />
      <DelayedPackets />
      <ConstructionSteps />
      <OwnProofs />
    </div>
  );
}
