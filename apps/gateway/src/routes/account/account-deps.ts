import type { account } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import type { Meter } from '../../serving/metering/meter';
import type { SessionCookie } from './session-cookie';

/** What the handlers of accounts, sessions, keys and billing are made with. */
export interface AccountDeps {
  readonly keys: GrpcClient<account.KeyServiceService>;
  readonly people: GrpcClient<account.AccountServiceService>;
  /** Those of its calls that hash a password: a crowd of them must not keep the others waiting. */
  readonly signIn: GrpcClient<account.AccountServiceService>;
  readonly billing: GrpcClient<account.BillingServiceService>;
  readonly credits: GrpcClient<account.CreditServiceService>;
  readonly meter: Pick<Meter, 'giveBack' | 'posted'>;
  readonly cookie: SessionCookie;
  /** Address of this service, known once it listens. */
  readonly baseUrl: () => string;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}
