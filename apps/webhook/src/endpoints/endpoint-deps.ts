import type { Logger } from '@market-state/logging';
import type { Pool } from 'pg';
import type { Bell } from '../lanes/bell';
import type { Secrets } from './secrets';
import type { TargetCheck } from './target-check';

/** What the RPCs about endpoints and messages use. */
export interface EndpointDeps {
  readonly pool: Pool;
  readonly bell: Bell;
  readonly secrets: Secrets;
  readonly targets: TargetCheck;
  readonly clock: () => number;
  readonly logger: Logger;
  /** Aborts when the process stops: what waits answers at once. */
  readonly stopping: AbortSignal;
}
