import { counted } from '@market-state/packet-figures';
import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { fieldFaults, isSaidAtFields } from '../../account/field-faults';
import { Empty } from '../../conditions/empty';
import { Outline } from '../../conditions/outline';
import { ProblemNotice } from '../../conditions/problem-notice';
import { SourceRibbon } from '../../conditions/source-ribbon';
import { SpendButton } from '../../controls/spend-button';
import { Facets } from './facets';
import { HitLines } from './hit-lines';
import { HitTable } from './hit-table';
import { facetsOf, timelineOf } from './hits';
import { SavedSearches } from './saved-searches';
import { SearchForm } from './search-form';
import { queryWords, readQuery, type SearchQuery, writeQuery } from './search-query';
import styles from './search.module.css';
import { PAGE_CREDITS_MAX, useSearch } from './use-search';

const FIELDS = ['q', 'tag', 'from', 'to'];

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
        <span className={styles['soft']}>when did this occur?</span>
      </div>
      <div className={styles['panels']}>
        <section aria-label="What to search for" className={styles['panel']}>
          <SearchForm key={String(params)} query={query} faults={fieldFaults(search.error)} isBusy={search.isFetching} onSearch={show} />
          {search.error === null || isSaidAtFields(search.error, FIELDS) ? null : (
            <ProblemNotice error={search.error} retry={() => void search.refetch()} />
          )}
        </section>
        <SavedSearches query={query} savedId={savedId} onSaved={(id) => query !== null && show(query, id)} />
      </div>
      {query === null ? (
        <Empty why="Nothing is searched for yet.">
          Words such as “absorption” or “stale book” are found in the state, the tags and the reasons of packets; a tag or a state can be
          given as it is.
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
        <Empty why={hasNextPage ? 'None in the hours that were read so far.' : 'No stored packet meets all of it.'}>
          {hasNextPage ? 'Search further back, or leave out a condition.' : 'Leave out a condition, or take a longer span.'}
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
