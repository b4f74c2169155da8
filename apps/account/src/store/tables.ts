import { createStatements } from '@market-state/postgres';
import type { DB } from './generated/tables';

/** SQL for a time or date column. */
export function ms(column: string): string {
  return `(extract(epoch FROM ${column}) * 1000)::bigint`;
}

export const tables = createStatements<DB>();
