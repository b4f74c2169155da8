import { words } from '@market-state/packet-figures';
import { severityWord, stateLabel } from '../../packets/words';
import type { Facet } from './hits';
import styles from './search.module.css';
import { PAGE_CREDITS_MAX } from './use-search';

interface FacetsProps {
  readonly facets: readonly Facet[];
  readonly onNarrow: (name: Facet['name'], value: string) => void;
}

const LABELS: Readonly<Record<Facet['name'], (value: string) => string>> = {
  symbol: (symbol) => symbol,
  state: stateLabel,
  event_class: words,
  severity_class: severityWord,
};

/** How the hits divide; a value narrows the search to it. */
export function Facets({ facets, onNarrow }: FacetsProps) {
  if (facets.length === 0) return null;
  return (
    <section aria-label="Narrow the search" className={styles['facets']}>
      <p className={styles['soft']}>Narrow to, each a new search of {PAGE_CREDITS_MAX} credits at most; counts are of the hits below</p>
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
