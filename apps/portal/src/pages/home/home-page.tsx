import { counted } from '@market-state/packet-figures';
import { lazy, Suspense, useState, type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { Outline } from '../../status-components/placeholder';
import { DOCS, PAGES } from '../../pages';
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

const Evidence = lazy(() => import('./evidence'));
const FirstLook = lazy(() => import('./first-look'));

export default function HomePage() {
  const { data: session } = useSession();
  return (
    <div className={styles['page']}>
      <header className={styles['hero']}>
        <h1>The state of every perpetual market, with its evidence.</h1>
        <p>
          Every ten seconds: the state of each market, the reasons for and against it, and a signed packet that you can recompute byte for
          byte.
        </p>
        <p className={styles['ways']}>
          {session === undefined ? (
            <Link href={PAGES.claim.pattern} className={styles['start'] ?? ''}>
              Create a free account
            </Link>
          ) : (
            <Link href={PAGES.live.pattern} className={styles['start'] ?? ''}>
              Live view
            </Link>
          )}
          <Link href={PAGES.how.pattern}>How packets are made</Link>
          <a href={DOCS}>Documentation</a>
        </p>
      </header>
      <div className={styles['proof']}>
        <Suspense fallback={<Outline rows={14} label="Loading the market" />}>
          <FirstLook />
        </Suspense>
      </div>
      <SampleCheck />
      <WhenNear>
        <Suspense fallback={<Outline rows={8} />}>
          <Evidence />
        </Suspense>
      </WhenNear>
    </div>
  );
}
