import type { OperationId } from '@market-state/client';
import { type Row, isRow } from '../output/row-writer';

/** The objects in a list of an answer; none where it has no such list. */
export function listIn(answer: Row, name: string): readonly Row[] {
  const list = answer[name];
  return Array.isArray(list) ? list.filter(isRow) : [];
}

/** Options of reads, and the parameters that they set. */
export const READ_OPTIONS = {
  limit: 'limit',
  depth: 'depth',
  tf: 'tf',
  step: 'step',
  seconds: 'window_seconds',
  from: 'from',
  to: 'to',
  asOf: 'as_of',
} as const;
export type ReadOption = keyof typeof READ_OPTIONS;

/** Something that the service can be asked for, and how it is shown. */
export interface Read {
  readonly operation: OperationId;
  /** What it is of: one symbol, one or all, an event, either, or nothing. */
  readonly of: 'symbol' | 'symbols' | 'event' | 'symbol or event' | 'nothing';
  readonly takes: readonly ReadOption[];
  readonly params?: Row;
  /** The list of the answer that has its rows; without one, the answer is one object. */
  readonly list?: string;
  /** Rows of a table or of CSV, where they are not those of the list. */
  readonly rows?: (answer: Row) => readonly Row[];
  readonly columns?: readonly string[];
  /** The first page of the answer has all of it. */
  readonly isOnePage?: boolean;
  /** What is said of an answer on stderr, a line each. */
  readonly notes?: (answer: Row) => readonly string[];
  /** What is shown of an answer that is one object, where that is not the whole of it; json has the whole. */
  readonly object?: (answer: Row) => Row;
  readonly summary: string;
}

/** The options of what is of a span, and as of an instant. */
export const SPAN: readonly ReadOption[] = ['from', 'to', 'asOf'];
