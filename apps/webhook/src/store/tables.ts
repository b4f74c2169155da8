import { createStatements } from '@market-state/postgres';
import type { DB } from './generated/tables';

/** Statements over the tables of this service. */
export const tables = createStatements<DB>();
