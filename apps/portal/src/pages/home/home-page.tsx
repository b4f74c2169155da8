import { counted } from '@market-state/packet-figures';
import { lazy, Suspense, useState, type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { Outline } from '../../status-components/placeholder';
import { PAGES } from '../../pages';
import { useSession } from '../../service/session';
import styles from './home.module.css';
import { ProblemNotice } from '../../status-components/problem-notice';
import { RecomputePanel } from '../../recompute/panel/recompute-panel';
import { SAMPLE_BUNDLE_URL, sampleRequest } from '../../recompute/sample';
import { useSample } from './home-queries';
import conditions from '../../status-components/conditions.module.css';

/** Distance below the viewport at which content starts to load, in pixels. */
const MARGIN_PX = 300;

/** Loads and requests nothing until its place comes near the viewport. */
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

// Fetched along with the sample that it shows.
const samplePacket = import('./sample-packet');
const SamplePacket = lazy(() => samplePacket.then((module) => ({ default: module.SamplePacket })));

function SampleCheck() {
  const { data, error, refetch } = useSample();
  return (
    <div className={styles['proof']}>
      <RecomputePanel
        title="The sample, recomputed in your browser"
        action="Recompute"
        load={sampleRequest}
        keyKind="sample"
        entryTotal={data?.entry_total}
      >
        <ul>
          <li>
            Runs entirely in your browser, with{' '}
            {data === undefined ? 'the sample' : `${counted(data.packet_total, 'packet')} and their log`} bundled in this page. The log
            starts at its first entry, so no checkpoint has to be trusted.
          </li>
          <li>The published policy: its digest is compared with the one in the packet before anything is computed.</li>
          <li>
            This page&apos;s script, served by this server. To avoid trusting it, <a href={SAMPLE_BUNDLE_URL}>download the bundle</a> and
            run <code>npx market-state verify</code> on it.
          </li>
          <li>
            The recording: BTCUSD perpetual of Binance COIN-M, 8 August 2024. We can't prove that it is exactly what the exchange sent.
          </li>
        </ul>
      </RecomputePanel>
      <section className={styles['packet']} aria-label="Packet contents">
        <h2>Packet contents</h2>
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

/** Loads nothing until it is opened. */
function SandboxOffer() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section className={styles['packet']} aria-label="Try the API">
      <h2>Try the API without signing up</h2>
      {isOpen ? (
        <Suspense fallback={<Outline rows={3} label="Creating a key" />}>
          <SandboxConsole />
        </Suspense>
      ) : (
        <>
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

const Evidence = lazy(() => import('./evidence'));

export default function HomePage() {
  const { data: session } = useSession();
  return (
    <div className={styles['page']}>
      <header className={styles['head']}>
        <h1>See it, then check it: recompute a packet in your browser.</h1>
        <p>
          Every ten seconds, Market State publishes the state of each perpetual-contract market, the numbers behind it and the evidence
          against it, in a signed packet that anyone can recompute byte for byte from the recorded log.
        </p>
        <p className={styles['ways']}>
          <Link href={PAGES.live.pattern}>Live view</Link>
          <Link href={PAGES.how.pattern}>How packets are made</Link>
          <Link href={PAGES.proof.pattern}>What can be proved</Link>
          {session === undefined ? (
            <>
              <Link href={PAGES.login.pattern}>Log in</Link>
              <Link href={PAGES.claim.pattern}>Create an account</Link>
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
