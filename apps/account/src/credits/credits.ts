import type { Logger } from '@market-state/logging';
import type { Pool } from 'pg';
import type { Notices } from './notices';

/** What everything that works on credits needs. */
export interface Credits {
  readonly pool: Pool;
  readonly clock: () => number;
  readonly notices: Notices;
  readonly logger: Logger;
}
