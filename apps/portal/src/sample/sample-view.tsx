import { type ReactNode, useEffect, useState } from 'react';
import { Link, Route, Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import { LoginForm } from '../account/login-form';
import { PAGES, type PageName } from '../pages';
import { answerFrom, loadFile } from '../service/client';
import { ProblemNotice, Outline } from '../status-components/conditions';
import { moveTo, type SampleAnswers, sampleFetch } from './sample-answers';
import styles from './sample.module.css';

type SampledPage = { [Name in PageName]: (typeof PAGES)[Name] extends { readonly isOpen: true } ? never : Name }[PageName];

const PURPOSES: Readonly<Record<SampledPage, string>> = {
  live: 'Every market with its state, its scores and the evidence for and against, as packets arrive.',
  symbol: 'One market: price with states, six scores, order book and trades, from the last 15 minutes to 7 days.',
  packet: 'Why a label was published, what counts against it, and its proof, recomputed in your browser.',
  replay: 'Play a stored span again, packet by packet, with book, trades and gaps as they were recorded.',
  search: 'Find when something happened: by words, state, event class, severity or tag.',
  stability: 'How long states last, what follows them, and how often a score was near a threshold.',
  keys: 'Create keys with scopes, limits, allowed addresses and an expiry, and see what each one spends.',
  alerts: 'Rules on states, scores and severity, tested on recorded history before they notify you.',
  webhooks: 'Endpoints with signed messages, every delivery attempt, and a list to pull what you missed.',
  exports: 'Rows and packets as Parquet, CSV or NDJSON files, quoted first and charged once.',
  usage: 'Where each credit went, by day, key and operation, with limits that you set.',
  billing: 'Your plan, top-ups, orders and invoices.',
  status: 'Availability and latency by day, incidents, and the audit of recorded values against the venues.',
};

const ADDRESSES: Readonly<Record<string, string>> = import.meta.glob('./answers/*.json', { query: '?url', import: 'default', eager: true });

async function loadSample(page: SampledPage): Promise<SampleAnswers> {
  const response = await loadFile(ADDRESSES[`./answers/${page}.json`] ?? '');
  return response.json() as Promise<SampleAnswers>;
}

/** The recorded market, whatever symbol the address names. */
const { hook: recordedSymbol } = memoryLocation({ path: '/live/BTCUSD-PERP', static: true });

interface SampleViewProps {
  readonly name: PageName;
  /** The page itself, with a query cache of its own. It cannot be operated, and its calls are answered from the sample. */
  readonly children: ReactNode;
}

/** A page for a visitor without a session: what it is for, the login, and the page itself with recorded answers. */
export function SampleView({ name, children }: SampleViewProps) {
  const page = name as SampledPage;
  const { isReady, error } = useSample(page);
  return (
    <>
      <section className={styles['intro']} aria-label={`About ${PAGES[page].title}`}>
        <div>
          <h1>{PAGES[page].title}</h1>
          <p>{PURPOSES[page]}</p>
          <p>
            <Link href={PAGES.claim.pattern} className="action-link">
              Create a free account
            </Link>
          </p>
          <p>
            No account needed: <Link href={PAGES.home.pattern}>make a first call with a sandbox key</Link>.
          </p>
        </div>
        <LoginForm next={location.pathname + location.search} />
      </section>
      <p className={styles['label']}>
        <b>Sample data</b> Below is this page with answers recorded from a running service.
      </p>
      <ProblemNotice error={error} />
      {isReady ? (
        <div inert className={styles['sample']}>
          {page === 'symbol' ? (
            <Router hook={recordedSymbol}>
              <Route path={PAGES.symbol.pattern}>{children}</Route>
            </Router>
          ) : (
            children
          )}
        </div>
      ) : (
        error === null && <Outline rows={8} label="Loading the sample" />
      )}
    </>
  );
}

function useSample(page: SampledPage) {
  const [isReady, setIsReady] = useState(false);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    let isLeft = false;
    loadSample(page)
      .then((sample) => {
        if (isLeft) return;
        answerFrom(sampleFetch(moveTo(Date.now(), sample)));
        setIsReady(true);
      })
      .catch(setError);
    return () => {
      isLeft = true;
      answerFrom(null);
      setIsReady(false);
    };
  }, [page]);
  return { isReady, error };
}
