import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Outline } from './placeholder';
import { ProblemNotice } from './problem-notice';

interface LoadedProps<T> {
  readonly query: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch'>;
  /** Of the outline while it is loading. */
  readonly rows: number;
  readonly label: string;
  readonly children: (answer: T) => ReactNode;
}

/** The answer of a query, its outline or its error. An answer stays shown when it can't be read again. */
export function Loaded<T>({ query: { data, error, refetch }, rows, label, children }: LoadedProps<T>) {
  return (
    <>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {data !== undefined ? children(data) : error === null ? <Outline rows={rows} label={label} /> : null}
    </>
  );
}
