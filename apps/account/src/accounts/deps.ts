import type { Logger } from '@market-state/logging';
import type { Pool } from 'pg';
import type { AccountLimits } from './limits';
import type { PlanTerms } from '../credits';
import type { Passwords } from './passwords';

/** What the operations on accounts are made of. */
export interface AccountsDeps {
  readonly pool: Pool;
  readonly passwords: Passwords;
  readonly limits: AccountLimits;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly logger: Logger;
  /** True without a mail server: mail goes to a folder. */
  readonly mailToFolder: boolean;
}

/** A session that was opened, with what it opens. */
export interface OpenedSession {
  /** The secret: told once, kept nowhere. */
  readonly secret: string;
  readonly accountId: string;
  readonly tenantId: string;
  readonly planId: string | null;
  /** Null for a tenant without a plan. */
  readonly terms: PlanTerms | null;
  readonly openedTsMs: number;
  readonly expiresTsMs: number;
}
