import type { OperationId } from '@market-state/client';
import { type Row, isRow } from '../output/row-writer';

export function listIn(answer: Row, name: string): readonly Row[] {
  const list = answer[name];
  return Array.isArray(list) ? list.filter(isRow) : [];
}

export const READ_OPTIONS = {
  venue: 'venue',
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

export interface Read {
  readonly operation: OperationId;
  /** Operand; absent: none. */
  readonly of?: 'symbol' | 'symbols' | 'event' | 'symbol or event';
  readonly takes?: readonly ReadOption[];
  readonly params?: Row;
  /** List with the rows of the answer; absent if the answer is one object. */
  readonly list?: string;
  /** Rows of a table or CSV if they differ from the list. */
  readonly rows?: (answer: Row) => readonly Row[];
  readonly columns?: readonly string[];
  /** The first page is the complete answer. */
  readonly isOnePage?: boolean;
  readonly notes?: (answer: Row) => readonly string[];
  /** Part of a single-object answer to show; json shows all of it. */
  readonly object?: (answer: Row) => Row;
  readonly summary: string;
}

/** Options of a read; `venue` goes with every symbol. */
export function optionsOf({ of, takes = [] }: Read): readonly ReadOption[] {
  return of?.startsWith('symbol') === true ? ['venue', ...takes] : takes;
}

export const SPAN: readonly ReadOption[] = ['from', 'to', 'asOf'];
