import { Choice } from '../../controls/choice';
import { onForm } from '../../account/form';
import { parseUtcInstant } from '@market-state/market-data';
import { counted } from '@market-state/packet-figures';
import { useMemo, useState } from 'react';
import { useSearchParams, Link } from 'wouter';
import { ChangeButton, SpendButton } from '../../controls/buttons';
import { useRoleGap } from '../../service/session';
import { fieldFaults } from '../../account/field-errors';
import { Empty, Outline, ProblemNotice } from '../../status-components/conditions';
import { SourceRibbon } from '../../status-components/source-ribbon';
import { OpeningCost } from '../../controls/opening-cost';
import { facetsOf, timelineOf } from './hits';
import { queryWords, readQuery, type SearchQuery, writeQuery, storedQuery, ALL, CHOICES, formQuery } from './search-query';
import { marketWords } from '../../packets/market-name';
import styles from './search.module.css';
import { PAGE_CREDITS_MAX, useSearch, useDeleteSearch, useSavedSearches, useSaveSearch } from './use-search';
import { Field } from '../../account/field';
import { useSymbols } from '../../service/use-catalog';
import { TimeField } from '../../controls/time-field';
import { spanFaults } from '../../time/field-time';
import sheet from '../../theme/sheet.module.css';
import { HitLines, Facets, HitTable } from './hit-table';

interface SearchFormProps {
  readonly query: SearchQuery | null;
  readonly faults: ReadonlyMap<string, string>;
  readonly isBusy: boolean;
  readonly onSearch: (query: SearchQuery) => void;
}

const WHEN = [
  ['from', 'From'],
  ['to', 'To'],
] as const;

function SearchForm({ query, faults, isBusy, onSearch }: SearchFormProps) {
  const [wrong, setWrong] = useState<ReadonlyMap<string, string>>(new Map());
  const names = useSymbols();
  const chosen = query?.symbol ?? ALL;
  const symbols = [ALL, ...(chosen === ALL || names.includes(chosen) ? [] : [chosen]), ...names];
  const submit = onForm((form) => {
    const found = spanFaults(form, { isOpen: true });
    setWrong(found);
    if (found.size === 0) onSearch(formQuery(form));
  });
  return (
    <form onSubmit={submit} className={sheet['form']}>
      <Field
        label="Contains all words"
        name="q"
        defaultValue={query?.q}
        maxLength={200}
        autoComplete="off"
        placeholder="in state, tags or reasons"
        fault={faults.get('q')}
      />
      <Choice
        className={sheet['choice']}
        label="Symbol"
        name="symbol"
        defaultValue={chosen}
        options={symbols}
        say={(symbol) => (symbol === ALL ? 'all symbols' : marketWords(symbol))}
      />
      {CHOICES.map(([name, title, values, label]) => (
        <Choice
          key={name}
          className={sheet['choice']}
          label={title}
          name={name}
          defaultValue={query?.[name] ?? ''}
          options={['', ...values]}
          say={(value) => (value === '' ? 'any' : label(value))}
        />
      ))}
      <div className={styles['wide']}>
        <Field
          label="Has all tags"
          name="tag"
          defaultValue={query?.tag.join(' ')}
          autoComplete="off"
          placeholder="depth:bid_heavy_top5:hot"
          fault={faults.get('tag')}
        />
      </div>
      {WHEN.map(([name, label]) => (
        <div key={name} className={styles['wide']}>
          <TimeField label={label} name={name} ms={timeIn(query?.[name])} fault={wrong.get(name) ?? faults.get(name)} />
        </div>
      ))}
      <p className={sheet['actions']}>
        <button type="submit" className={sheet['go']} disabled={isBusy}>
          {isBusy ? 'Searching…' : `Search, at most ${PAGE_CREDITS_MAX} credits`}
        </button>
        <span className={sheet['soft']}>for the newest 100 hits; searches all stored packets</span>
      </p>
    </form>
  );
}

function timeIn(text: string | undefined): number | null {
  return parseUtcInstant(text ?? '') ?? null;
}

interface SavedSearchesProps {
  readonly query: SearchQuery | null;
  /** Empty if the search is not a saved one. */
  readonly savedId: string;
  readonly onSaved: (savedId: string) => void;
}

function SavedSearches({ query, savedId, onSaved }: SavedSearchesProps) {
  const { data, error, isPending, refetch } = useSavedSearches();
  const remove = useDeleteSearch();
  const gap = useRoleGap('member');
  return (
    <section aria-label="Saved searches" className={styles['panel']}>
      <h2>Saved searches</h2>
      {gap === undefined ? null : <p className={styles['soft']}>{gap}</p>}
      {query === null ? null : savedId === '' ? <SaveForm query={query} onSaved={onSaved} /> : <RuleLink savedId={savedId} />}
      <ProblemNotice error={error} retry={() => void refetch()} />
      <ProblemNotice error={remove.error} />
      {isPending ? <Outline rows={2} label="Loading saved searches" /> : null}
      {data?.length === 0 ? (
        <Empty why="No saved searches yet.">Run a search and save it under a name to reuse it or turn it into a rule.</Empty>
      ) : null}
      <ul className={styles['saved']}>
        {(data ?? []).map(({ saved_search_id: id, name, query: stored }) => {
          const own = storedQuery(stored as Readonly<Record<string, unknown>>);
          return (
            <li key={id} data-current={id === savedId}>
              <Link href={`/search?${String(writeQuery(own, id))}`}>{name}</Link>
              <span className={styles['soft']}>{queryWords(own)}</span>
              <ChangeButton disabled={remove.isPending} onClick={() => remove.mutate(id)} aria-label={`Delete ${name}`}>
                Delete
              </ChangeButton>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function RuleLink({ savedId }: { readonly savedId: string }) {
  return (
    <p>
      <Link href={`/alerts?from_search=${savedId}`}>Create alert</Link>{' '}
      <span className={styles['soft']}>to be notified when it happens again</span>
    </p>
  );
}

const SAVED_FIELDS = ['name'];

function SaveForm({ query, onSaved }: Pick<SavedSearchesProps, 'onSaved'> & { readonly query: SearchQuery }) {
  const { mutate, isPending, error } = useSaveSearch(onSaved);
  const submit = onForm((form) => mutate({ name: String(form.get('name')).trim(), query }));
  return (
    <form onSubmit={submit} className={styles['save']}>
      <Field label="Name this search" name="name" required maxLength={100} autoComplete="off" fault={fieldFaults(error).get('name')} />
      <ChangeButton type="submit" disabled={isPending}>
        {isPending ? 'Saving…' : 'Save'}
      </ChangeButton>
      <ProblemNotice error={error} fields={SAVED_FIELDS} />
    </form>
  );
}

const SEARCH_FIELDS = ['q', 'tag', 'from', 'to'];

export default function SearchPage() {
  const [params, setParams] = useSearchParams();
  const query = useMemo(() => readQuery(params), [params]);
  const savedId = params.get('saved') ?? '';
  const search = useSearch(query);
  const show = (next: SearchQuery, saved = ''): void => setParams(writeQuery(next, saved));
  return (
    <>
      <div className={styles['bar']}>
        <h1>Search</h1>
        <span className={styles['soft']}>when did this happen?</span>
        <OpeningCost credits={query === null ? 0 : PAGE_CREDITS_MAX} />
      </div>
      <div className={styles['panels']}>
        <section aria-label="Search conditions" className={styles['panel']}>
          <SearchForm key={String(params)} query={query} faults={fieldFaults(search.error)} isBusy={search.isFetching} onSearch={show} />
          <ProblemNotice error={search.error} fields={SEARCH_FIELDS} retry={() => void search.refetch()} />
        </section>
        <SavedSearches query={query} savedId={savedId} onSaved={(id) => query !== null && show(query, id)} />
      </div>
      {query === null ? (
        <Empty why="Enter a search to begin.">
          Words such as “absorption” or “stale book” are matched in the state, tags and reasons of packets. You can also search for an exact
          tag or state.
        </Empty>
      ) : (
        <Results query={query} search={search} onNarrow={show} />
      )}
    </>
  );
}

interface ResultsProps {
  readonly query: SearchQuery;
  readonly search: ReturnType<typeof useSearch>;
  readonly onNarrow: (query: SearchQuery) => void;
}

function Results({ query, search, onNarrow }: ResultsProps) {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage, isPending, error } = search;
  const hits = useMemo(() => data?.pages.flatMap((page) => page.hits) ?? [], [data]);
  const timeline = useMemo(() => timelineOf(hits), [hits]);
  const facets = useMemo(() => facetsOf(hits), [hits]);
  if (error !== null && data === undefined) return null;
  if (isPending) return <Outline rows={10} label="Searching" />;
  const charged = data?.pages.reduce((total, page) => total + page.charged, 0) ?? 0;
  return (
    <section aria-label="Hits" className={styles['results']}>
      <SourceRibbon states={hits.map(({ response_state: state }) => state)} />
      <h2>
        {hasNextPage ? `The newest ${counted(hits.length, 'hit')}` : counted(hits.length, 'hit')}{' '}
        <span className={styles['soft']}>
          {queryWords(query)}; cost {counted(charged, 'credit')}
        </span>
      </h2>
      {timeline === null ? (
        <Empty why={hasNextPage ? 'No hits in the hours searched so far.' : 'No stored packet matches all conditions.'}>
          {hasNextPage ? 'Search further back, or remove a condition.' : 'Remove a condition, or choose a longer span.'}
        </Empty>
      ) : (
        <>
          <HitLines timeline={timeline} />
          <Facets facets={facets} onNarrow={(name, value) => onNarrow({ ...query, [name]: value })} />
          <HitTable hits={hits} />
        </>
      )}
      {hasNextPage ? (
        <p className={styles['more']}>
          <SpendButton
            action="Search further back"
            busy="Searching…"
            creditsAtMost={PAGE_CREDITS_MAX}
            isBusy={isFetchingNextPage}
            onPress={() => void fetchNextPage()}
          />
        </p>
      ) : null}
    </section>
  );
}
