import type { FormEvent } from 'react';
import { Link } from 'wouter';
import { Field } from '../../account/field';
import { fieldFaults, isSaidAtFields } from '../../account/field-faults';
import { Empty } from '../../conditions/empty';
import { Outline } from '../../conditions/outline';
import { ProblemNotice } from '../../conditions/problem-notice';
import { queryWords, type SearchQuery, storedQuery, writeQuery } from './search-query';
import styles from './search.module.css';
import { useDeleteSearch, useSavedSearches, useSaveSearch } from './use-search';

interface SavedSearchesProps {
  /** The search of the page; null before one. */
  readonly query: SearchQuery | null;
  /** The saved search that it is; empty where it is none. */
  readonly savedId: string;
  readonly onSaved: (savedId: string) => void;
}

/** Searches under their names, and the form that saves the one of the page. */
export function SavedSearches({ query, savedId, onSaved }: SavedSearchesProps) {
  const { data, error, isPending, refetch } = useSavedSearches();
  const remove = useDeleteSearch();
  return (
    <section aria-label="Saved searches" className={styles['panel']}>
      <h2>Saved searches</h2>
      {query === null ? null : savedId === '' ? <SaveForm query={query} onSaved={onSaved} /> : <RuleLink savedId={savedId} />}
      {error === null ? null : <ProblemNotice error={error} retry={() => void refetch()} />}
      {remove.error === null ? null : <ProblemNotice error={remove.error} />}
      {isPending ? <Outline rows={2} label="Loading saved searches" /> : null}
      {data?.length === 0 ? (
        <Empty why="No search is saved yet.">Search, give it a name, and it is found here, and can be made into a rule.</Empty>
      ) : null}
      <ul className={styles['saved']}>
        {(data ?? []).map(({ saved_search_id: id, name, query: stored }) => {
          const own = storedQuery(stored as Readonly<Record<string, unknown>>);
          return (
            <li key={id} data-current={id === savedId}>
              <Link href={`/search?${String(writeQuery(own, id))}`}>{name}</Link>
              <span className={styles['soft']}>{queryWords(own)}</span>
              <button type="button" disabled={remove.isPending} onClick={() => remove.mutate(id)} aria-label={`Delete ${name}`}>
                Delete
              </button>
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
      <Link href={`/alerts?from_search=${savedId}`}>Make a rule of it</Link>{' '}
      <span className={styles['soft']}>so that you are told when it occurs again</span>
    </p>
  );
}

const FIELDS = ['name'];

function SaveForm({ query, onSaved }: Pick<SavedSearchesProps, 'onSaved'> & { readonly query: SearchQuery }) {
  const { mutate, isPending, error } = useSaveSearch(onSaved);
  const submit = (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    mutate({ name: String(new FormData(submitted.currentTarget).get('name')).trim(), query });
  };
  return (
    <form onSubmit={submit} className={styles['save']}>
      <Field label="Name of this search" name="name" required maxLength={100} autoComplete="off" fault={fieldFaults(error).get('name')} />
      <button type="submit" disabled={isPending}>
        {isPending ? 'Saving…' : 'Save'}
      </button>
      {error === null || isSaidAtFields(error, FIELDS) ? null : <ProblemNotice error={error} />}
    </form>
  );
}
