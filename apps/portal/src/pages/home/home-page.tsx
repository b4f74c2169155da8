import { counted } from '@market-state/packet-figures';
import { lazy, Suspense, useState, type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { Outline } from '../../conditions/placeholder';
import { PAGES } from '../../pages';
import { useSession } from '../../service/session';
import styles from './home.module.css';
import { ProblemNotice } from '../../conditions/problem-notice';
import { RecomputePanel } from '../../recompute/panel/recompute-panel';
import { SAMPLE_BUNDLE_URL, sampleRequest } from '../../recompute/sample';
import { useSample } from './home-queries';
import conditions from '../../conditions/conditions.module.css';

/** How far below the screen its place may be, pixels. */
const MARGIN_PX = 300;

/** Shows its content once its place comes near the screen: until then nothing of it is loaded or asked for. */
function WhenNear({ children }: { readonly children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setIsNear] = useState(false);
  useEffect(() => {
    const box = place.current;
    if (box === null || isNear) return undefined;
    const observer = new IntersectionObserver((seen) => setIsNear(seen.some(({ isIntersecting }) => isIntersecting)), {
      rootMargin: `${MARGIN_PX}px`,
    });
    observer.observe(box);
    return () => observer.disconnect();
  }, [isNear]);
  return isNear ? children : <div ref={place} className={conditions['later']} />;
}

// Requested with the sample that it shows.
const samplePacket = import('./sample-packet');
const SamplePacket = lazy(() => samplePacket.then((module) => ({ default: module.SamplePacket })));

/** The sample that comes with the portal: what it says, and the check of it. */
function SampleCheck() {
  const { data, error, refetch } = useSample();
  return (
    <div className={styles['proof']}>
      <RecomputePanel
        title="The sample, made again in your browser"
        action="Recompute it"
        load={sampleRequest}
        keyKind="sample"
        entryTotal={data?.entry_total}
      >
        <ul>
          <li>
            No key, no service: {data === undefined ? 'the sample' : `${counted(data.packet_total, 'packet')} and their log`} came with this
            page. The log begins at its first entry, so there is no checkpoint to believe.
          </li>
          <li>The published policy: its digest is compared with the one that the packet names before anything is made.</li>
          <li>
            This page&apos;s script, which is this server&apos;s. To do without it, <a href={SAMPLE_BUNDLE_URL}>download the bundle</a> and
            run <code>npx market-state verify</code> on it.
          </li>
          <li>
            The recording: BTCUSD perpetual of Binance COIN-M, 8 August 2024. No check of ours can show that it is what the exchange sent.
          </li>
        </ul>
      </RecomputePanel>
      <section className={styles['packet']} aria-label="What the packet says">
        <h2>What the packet says</h2>
        {error !== null ? (
          <ProblemNotice error={error} retry={() => void refetch()} />
        ) : data === undefined ? (
          <Outline rows={12} label="Loading the packet" />
        ) : (
          <Suspense fallback={<Outline rows={12} label="Loading the packet" />}>
            <SamplePacket packet={data.packet} />
          </Suspense>
        )}
      </section>
    </div>
  );
}

const SandboxConsole = lazy(() => import('./sandbox-console'));

/** A key without sign-up, to try the service on this page; nothing of it is loaded before it is wanted. */
function SandboxOffer() {
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
