import { bindCreditService, createNotices, type Credits } from '@market-state/account';
import type { account } from '@market-state/contracts';
import type { BoundService, CallContext, ClientCalls } from '@market-state/grpc';
import type { Closer } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';

type CreditCalls = ClientCalls<account.CreditServiceService>;

export interface CreditHost {
  readonly credits: Credits;
  readonly call: CreditCalls;
  setNow(ms: number): void;
}

export function hostCredits(closer: Closer, databaseUrl: string, startMs: number): CreditHost {
  const logger = silentLogger();
  const pool = createPool({ url: databaseUrl, logger, applicationName: 'credit model', max: 3 });
  closer.add('pool', () => pool.end());
  const notices = createNotices(databaseUrl, logger);
  closer.add('notices', () => notices.close());
  let nowMs = startMs;
  const credits: Credits = { pool, notices, logger, clock: () => nowMs };
  return {
    credits,
    call: directCalls(bindCreditService(credits)),
    setNow(ms) {
      nowMs = ms;
    },
  };
}

type Serialize = (message: unknown) => Buffer;

/** Unary calls that serialize each message but skip the connection, which takes longer than the work itself. */
function directCalls({ methods }: BoundService): CreditCalls {
  const context: CallContext = { requestId: 'req_credit_model', signal: new AbortController().signal };
  const calls = Object.entries(methods).map(([name, bound]) => [
    name,
    async (request: unknown): Promise<unknown> => {
      if (bound.kind === 'stream') throw new Error(`${name} answers with a stream.`);
      const { requestSerialize, requestDeserialize, responseSerialize, responseDeserialize } = bound.method;
      const answer = await bound.handler(requestDeserialize((requestSerialize as Serialize)(request)), context);
      return responseDeserialize((responseSerialize as Serialize)(answer));
    },
  ]);
  return Object.fromEntries(calls) as CreditCalls;
}
