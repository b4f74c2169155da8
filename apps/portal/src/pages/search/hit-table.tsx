import { counted, words, stateWord } from '@market-state/packet-figures';
import { Link } from 'wouter';
import { foundIn, type Hit, type Facet, type Timeline } from './hits';
import { marketWords } from '../../packets/market-name';
import styles from './search.module.css';
import { PAGE_CREDITS_MAX } from './use-search';
import { percent } from '../../charts/state-strip';
import { Hidden, Table } from '../../controls/table';
import { priceText } from '../../market/numbers';
import { StateMark, StateName } from '../../charts/state-mark';
import { Severity, severityWord, stateLabel } from '../../packets/words';
import { clock, clockBelow, zoned, clockSpan } from '../../time/clock';

export function HitLines({ timeline: { startMs, endMs, lines } }: { readonly timeline: Timeline }) {
  const share = (ms: number): number => (ms - startMs) / (endMs - startMs);
  const states = [...new Set(lines.flatMap(({ stateRuns }) => stateRuns.map(({ state }) => state)))];
  return (
    <figure className={styles['lines']}>
      <div role="img" aria-label={sentenceOf({ startMs, endMs, lines })}>
        {lines.map(({ symbol, total, stateRuns }) => (
          <div key={symbol} className={styles['line']}>
            <span>{marketWords(symbol)}</span>
            <span className={styles['track']}>
              {stateRuns.map(({ state, label, startMs: from, endMs: to }) => (
                <i
                  key={from}
                  className={`state-${stateWord(state)}`}
                  style={{ left: percent(share(from)), width: percent(share(to) - share(from)) }}
                  title={`${label}, ${clockSpan(from, to)}`}
                />
              ))}
            </span>
            <span className={styles['number']}>{total}</span>
          </div>
        ))}
      </div>
      <figcaption className={styles['scale']}>
        <span>{clock(startMs)}</span>
        <span className={styles['marks']}>
          {states.map((state) => (
            <span key={state}>
              <StateName state={state} />
            </span>
          ))}
        </span>
        <span>{clock(endMs)}</span>
      </figcaption>
    </figure>
  );
}

function sentenceOf({ startMs, endMs, lines }: Timeline): string {
  const parts = lines.map(
    ({ symbol, total, stateRuns }) => `${marketWords(symbol)} ${counted(total, 'hit')} in ${counted(stateRuns.length, 'run')}`,
  );
  return `Hits from ${clockSpan(startMs, endMs)}: ${parts.join(', ')}.`;
}

interface FacetsProps {
  readonly facets: readonly Facet[];
  readonly onNarrow: (name: Facet['name'], value: string) => void;
}

const LABELS: Readonly<Record<Facet['name'], (value: string) => string>> = {
  symbol: marketWords,
  state: stateLabel,
  event_class: words,
  severity_class: severityWord,
};

export function Facets({ facets, onNarrow }: FacetsProps) {
  if (facets.length === 0) return null;
  return (
    <section aria-label="Narrow the search" className={styles['facets']}>
      <p className={styles['soft']}>Narrow by (each new search costs at most {PAGE_CREDITS_MAX} credits; counts cover the hits below)</p>
      {facets.map(({ name, title, values }) => (
        <div key={name}>
          <h3>{title}</h3>
          {values.map(([value, total]) => (
            <button key={value} type="button" onClick={() => onNarrow(name, value)}>
              {LABELS[name](value)} <b>{total}</b>
            </button>
          ))}
        </div>
      ))}
    </section>
  );
}

export function HitTable({ hits }: { readonly hits: readonly Hit[] }) {
  return (
    <Table
      className={styles['table']}
      caption="Hits, newest first"
      rows={hits}
      keyOf={(hit) => hit.event_id}
      columns={[
        {
          head: zoned('Window to'),
          cell: (hit) => <Link href={`/packet/${hit.event_id}`}>{clockBelow(hit.window_end_utc)}</Link>,
        },
        { head: 'Symbol', cell: (hit) => marketWords(hit.symbol) },
        {
          head: 'Published state',
          cell: (hit) => (
            <>
              <StateMark state={hit.state} /> {hit.state_label}
            </>
          ),
        },
        { head: 'Event class', cell: (hit) => words(hit.event_class) },
        {
          head: 'Mid, USD',
          cell: (hit) => (hit.mid_price === null ? 'not reported' : priceText(hit.mid_price)),
          className: styles['number'],
        },
        { head: 'Severity', cell: (hit) => <Severity severity={hit.severity} /> },
        { head: 'Matched in', cell: (hit) => <Found hit={hit} />, cellClass: styles['found'] },
        {
          head: <Hidden>Replay</Hidden>,
          cell: (hit) => (
            <Link href={`/replay?symbol=${hit.symbol}&at=${hit.window_end_utc}`} aria-label={`Replay around ${clock(hit.window_end_utc)}`}>
              Replay
            </Link>
          ),
        },
      ]}
    />
  );
}

/** Without search words, shows the packet's own first reason. */
function Found({ hit }: { readonly hit: Hit }) {
  const [first, ...others] = foundIn(hit);
  if (first === undefined) return hit.one_reason;
  if (others.length === 0) return first;
  return (
    <details>
      <summary>
        {first} <span className={styles['soft']}>and {others.length} more</span>
      </summary>
      {others.map((each) => (
        <p key={each}>{each}</p>
      ))}
    </details>
  );
}
