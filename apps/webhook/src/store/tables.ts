import { createStatements } from '@market-state/postgres';
import type { DB } from './generated/tables';

export const tables = createStatements<DB>();
