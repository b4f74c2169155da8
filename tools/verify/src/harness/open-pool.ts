import type { Closer } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import type { Pool } from 'pg';

/** One statement may read all that a run has left. */
const READ_WHOLE_MS = 120_000;

/** Connections by which a run's results are read. */
export function openPool(closer: Closer, url: string): Pool {
  const pool = createPool({ url, logger: silentLogger(), applicationName: 'verify', statementTimeoutMs: READ_WHOLE_MS });
  closer.add('pool', () => pool.end());
  return pool;
}
