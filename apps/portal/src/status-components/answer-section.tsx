import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { clock } from '../time/clock';
import styles from './conditions.module.css';
import { Outline } from './placeholder';
import { ProblemNotice } from './problem-notice';

interface AnswerSectionProps<T> {
  readonly title: string;
  readonly query: UseQueryResult<T>;
  readonly checkedUtc?: (answer: T) => string;
  readonly show: (answer: T) => ReactNode;
}

export function AnswerSection<T>({ title, query: { data, error, refetch }, checkedUtc, show }: AnswerSectionProps<T>) {
  return (
    <section className={styles['answer']} aria-label={title}>
      <div className={styles['title']}>
        <h2>{title}</h2>
        {data === undefined || checkedUtc === undefined ? null : <span>as of {clock(Date.parse(checkedUtc(data)))}</span>}
      </div>
      {error !== null && data === undefined ? (
        <ProblemNotice error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Outline rows={6} label={`Loading: ${title}`} />
      ) : (
        show(data)
      )}
    </section>
  );
}
