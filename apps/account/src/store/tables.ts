import { createStatements } from '@market-state/postgres';
import type { DB } from './generated/tables';

/** A column of a time or a day, as milliseconds since the epoch. */
export function ms(column: string): string {
  return `(extract(epoch FROM ${column}) * 1000)::bigint`;
}

/** Statements over the tables of this service. */
export const tables = createStatements<DB>();
