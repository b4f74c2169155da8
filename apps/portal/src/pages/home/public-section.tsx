import type { UseQueryResult } from '@tanstack/react-query';
import { utc } from '@market-state/packet-figures';
import type { ReactNode } from 'react';
import { Outline } from '../../conditions/outline';
import { ProblemNotice } from '../../conditions/problem-notice';
import styles from './home.module.css';

interface PublicSectionProps<T> {
  readonly title: string;
  readonly query: UseQueryResult<T>;
  /** When the service made the answer. */
  readonly checkedUtc: (answer: T) => string;
  readonly show: (answer: T) => ReactNode;
}

/** A public answer of the service with its time; the rest of the page does without it where it cannot be had. */
export function PublicSection<T>({ title, query: { data, error, refetch }, checkedUtc, show }: PublicSectionProps<T>) {
  return (
    <section className={styles['public']} aria-label={title}>
      <div className={styles['title']}>
        <h2>{title}</h2>
        {data === undefined ? null : <span className={styles['soft']}>as of {utc(Date.parse(checkedUtc(data)))} UTC</span>}
      </div>
      {error !== null ? (
        <ProblemNotice error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Outline rows={6} label={`Loading: ${title}`} />
      ) : (
        show(data)
      )}
    </section>
  );
}
