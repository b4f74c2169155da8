import { lazy, Suspense, useState, type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { Outline } from '../../status-components/conditions';
import { DOCS, PAGES } from '../../pages';
import { useSession } from '../../service/session';
import styles from './home.module.css';
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

// Fetched along with the page, after its own scripts.
const sampleCheck = import('./sample-check');
const SampleCheck = lazy(() => sampleCheck.then((module) => ({ default: module.SampleCheck })));
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
            <Link href={PAGES.claim.pattern} className="action-link">
              Create a free account
            </Link>
          ) : (
            <Link href={PAGES.live.pattern} className="action-link">
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
      <Suspense fallback={<Outline rows={12} label="Loading the sample" />}>
        <SampleCheck />
      </Suspense>
      <WhenNear>
        <Suspense fallback={<Outline rows={8} />}>
          <Evidence />
        </Suspense>
      </WhenNear>
    </div>
  );
}
