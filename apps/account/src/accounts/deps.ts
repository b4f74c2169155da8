import type { MemberRole } from '@market-state/credentials';
import type { Logger } from '@market-state/logging';
import type { Pool } from 'pg';
import type { AccountLimits } from './limits';
import type { PlanTerms } from '../credits';
import type { Seal } from '../seal';
import type { OidcProvider } from '../oidc/provider';
import type { Passwords } from './passwords';

export interface AccountsDeps {
  readonly pool: Pool;
  readonly passwords: Passwords;
  readonly limits: AccountLimits;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly logger: Logger;
  /** Encrypts secrets of second factors. */
  readonly factorSeal: Seal;
  /** True if mail is written to a folder because no mail server is configured. */
  readonly mailToFolder: boolean;
  /** Null without one. */
  readonly oidc: OidcProvider | null;
}

export interface OpenedSession {
  /** Returned once; only its digest is stored. */
  readonly secret: string;
  readonly accountId: string;
  readonly tenantId: string;
  readonly role: MemberRole;
  readonly planId: string | null;
  readonly terms: PlanTerms | null;
  readonly openedTsMs: number;
  readonly expiresTsMs: number;
}
