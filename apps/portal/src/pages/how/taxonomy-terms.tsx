import { counted, words } from '@market-state/packet-figures';
import { Empty } from '../../conditions/placeholder';
import { StateMark } from '../../figures/state-mark';
import { urlText, useUrlState } from '../../service/url-state';
import sheet from '../../theme/sheet.module.css';
import type { Taxonomy } from './how-queries';
import styles from './how.module.css';
import { tagsWith, type Term, termsOf } from './policy-documents';

const TAG = urlText();

/** What each state, event class and tag means. */
export function TaxonomyTerms({ taxonomy }: { readonly taxonomy: Taxonomy }) {
  return (
    <>
      <h3>States</h3>
      <dl className={styles['terms']}>
        {termsOf(taxonomy, 'states').map(({ value, label, meaning }) => (
          <div key={value}>
            <dt>
              <StateMark state={value} /> {label}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      {KINDS.map(([kind, title]) => (
        <TermList key={kind} title={title} terms={termsOf(taxonomy, kind)} />
      ))}
      <Tags tags={taxonomy.tags} />
    </>
  );
}

const KINDS = [
  ['event_classes', 'Event classes'],
  ['severity_classes', 'Classes of severity'],
  ['gap_flags', 'Gap flags'],
  ['publication_rules', 'When a raw winner is published'],
] as const;

function TermList({ title, terms }: { readonly title: string; readonly terms: readonly Term[] }) {
  return (
    <details>
      <summary>
        {title}: {terms.length}
      </summary>
      <dl className={styles['terms']}>
        {terms.map(({ value, label, meaning }) => (
          <div key={value}>
            <dt>{label}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Tags({ tags }: { readonly tags: Taxonomy['tags'] }) {
  const [filter, setFilter] = useUrlState('tag', TAG);
  const found = tagsWith(tags, filter);
  return (
    <details open={filter !== ''}>
      <summary>Tags: {tags.length}</summary>
      <p>
        <label>
          With the words{' '}
          <input type="search" value={filter} placeholder="pressure elevated" onChange={({ target }) => setFilter(target.value)} />
        </label>{' '}
        <span role="status" className={sheet['soft']}>
          {filter === '' ? '' : counted(found.length, 'tag')}
        </span>
      </p>
      {found.length === 0 ? (
        <Empty why={`No tag has the words “${filter}”.`}>
          Tags are of families such as pressure, depth, flow, queue, crowding and regime.
        </Empty>
      ) : (
        <dl className={styles['terms']}>
          {found.map(({ tag, meaning, horizon }) => (
            <div key={tag}>
              <dt>
                <code>{tag}</code>
              </dt>
              <dd>
                {meaning} <span className={sheet['soft']}>{horizon === null ? '' : words(horizon)}</span>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </details>
  );
}
