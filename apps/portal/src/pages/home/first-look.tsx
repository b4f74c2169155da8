import { useRead, service } from '../../service/client';
import { lazy, Suspense, useState, useMemo } from 'react';
import { Link } from 'wouter';
import { Outline, Empty, ProblemNotice } from '../../status-components/conditions';
import { marketNamed, marketWords } from '../../packets/market-name';
import styles from './home.module.css';
import { StateMark } from '../../charts/state-mark';
import { StateStrip } from '../../charts/state-strip';
import { priceText } from '../../market/numbers';
import { severityWord, stateLabel } from '../../packets/words';
import { usePublicSymbols } from '../../proofs/proof-queries';
import { SourceRibbon } from '../../status-components/source-ribbon';
import { clock } from '../../time/clock';
import type { ProofBrowser } from './home-queries';
import { linePath } from './story-line';

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

const PACKET_MS = 10_000;
const EVERY_MS = 20_000;
const NO_SYMBOLS: readonly string[] = [];

/** A market of this service, ten minutes behind: what anyone may see without a key. */
function MarketNow() {
  const symbols = usePublicSymbols().data ?? NO_SYMBOLS;
  const [chosen, setChosen] = useState<string | null>(null);
  const symbol = chosen ?? symbols[0];
  const { data, error, refetch } = useRead(
    ['public', 'packets', symbol],
    (options) => service.demo.publicProofBrowser({ symbol }, options),
    { enabled: symbol !== undefined, refetchInterval: EVERY_MS },
  );
  return (
    <section className={styles['packet']} aria-label="Live market, ten minutes behind">
      <div className={styles['controls']}>
        <h2>Live, ten minutes behind</h2>
        {symbols.map((each) => (
          <button key={each} type="button" aria-pressed={each === symbol} onClick={() => setChosen(each)}>
            {marketWords(each)}
          </button>
        ))}
      </div>
      {error !== null ? (
        <ProblemNotice error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Outline rows={10} label="Loading the market" />
      ) : (
        <Market preview={data} />
      )}
    </section>
  );
}

function Market({ preview: { public_packet_tape: tape, meta } }: { readonly preview: ProofBrowser }) {
  const [row] = tape.rows.map(marketNamed);
  const points = useMemo(
    () => (tape.points ?? []).map(({ event_time_utc: end, ...point }) => ({ ...point, atMs: Date.parse(end) })),
    [tape.points],
  );
  const last = points.at(-1);
  if (row === undefined || last === undefined)
    return <Empty why="No packet is ten minutes old yet, because this service has just started." />;
  const [startMs, endMs] = [(points[0]?.atMs ?? last.atMs) - PACKET_MS, last.atMs];
  const mids = points.map(({ atMs, mid_price: value }) => ({ atMs, value }));
  const known = mids.flatMap(({ value }) => (value === null ? [] : [value]));
  const [low, high] = known.length === 0 ? ['–', '–'] : [priceText(Math.min(...known)), priceText(Math.max(...known))];
  return (
    <>
      <SourceRibbon states={[meta.response_semantics.response_state]} />
      <p className={styles['quote']}>
        <strong>{last.mid_price === null ? 'no book' : `${priceText(last.mid_price)} USD`}</strong>
        <span className={styles['state']}>
          <StateMark state={row.state} /> <b>{stateLabel(row.state)}</b>
        </span>
        <span className={styles['soft']}>{clock(last.atMs)}</span>
      </p>
      <div className={styles['plot']}>
        <svg
          className={styles['mid']}
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
          role="img"
          aria-label={`Mid price of ${marketWords(row.symbol)}: between ${low} and ${high} USD`}
        >
          <path d={linePath(mids, startMs, endMs, PACKET_MS)} />
        </svg>
        <span aria-hidden="true">
          {high}
          <br />
        </span>
        <span aria-hidden="true">{low}</span>
      </div>
      <StateStrip
        readings={points.map(({ atMs, state }) => ({ windowEndMs: atMs, state, stateLabel: stateLabel(state) }))}
        startMs={startMs}
        endMs={endMs}
        label={`States of ${marketWords(row.symbol)}`}
      />
      <p className={styles['span']}>
        <span>{clock(startMs, 'timeMinute')}</span>
        <span>{clock(endMs, 'timeMinute')}</span>
      </p>
      <dl className={styles['why']}>
        <dt>Why</dt>
        <dd>{row.summary}</dd>
        <dt>Confidence</dt>
        <dd>
          {row.confidence_score.toFixed(2)} {row.confidence_label}: {row.confidence_context}
        </dd>
        <dt>Severity</dt>
        <dd>
          {row.severity_score.toFixed(2)} {severityWord(row.severity_class)}
        </dd>
      </dl>
      <p>
        <Link href={`/live/${row.symbol}`}>Open the full view of {marketWords(row.symbol)}</Link>
      </p>
    </>
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
