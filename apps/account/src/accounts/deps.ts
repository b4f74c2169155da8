import type { MemberRole } from '@market-state/credentials';
import type { AccountDeps } from '../deps';
import type { PlanTerms } from '../credits/plan-terms';
import type { Seal } from '../seal';
import type { OidcProvider } from '../oidc/provider';
import type { Passwords } from './passwords';

export interface AccountsDeps extends Pick<AccountDeps, 'pool' | 'limits' | 'clock' | 'randomBytes' | 'logger'> {
  readonly passwords: Passwords;
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
