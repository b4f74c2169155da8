import { bindCreditService, createNotices, type Credits } from '@market-state/account';
import type { account } from '@market-state/contracts';
import type { BoundService, CallContext, ClientCalls } from '@market-state/grpc';
import { createLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';

type CreditCalls = ClientCalls<account.CreditServiceService>;

/** The credit service in this process, on a clock of its own. */
export interface CreditHost {
  readonly credits: Credits;
  readonly call: CreditCalls;
  setNow(ms: number): void;
  close(): Promise<void>;
}

export function hostCredits(databaseUrl: string, startMs: number): CreditHost {
  const logger = createLogger('credits', { level: 'silent' });
  const pool = createPool({ url: databaseUrl, logger, applicationName: 'credit model', max: 3 });
  const notices = createNotices(databaseUrl, logger);
  let nowMs = startMs;
  const credits: Credits = { pool, notices, logger, clock: () => nowMs };
  return {
    credits,
    call: directCalls(bindCreditService(credits)),
    setNow(ms) {
      nowMs = ms;
    },
    async close() {
      await notices.close();
      await pool.end();
    },
  };
}

type Serialize = (message: unknown) => Buffer;

/**
 * The unary calls of a service as a client makes them: every message as the bytes that would be sent, without the connection, which takes
 * longer than the work.
 */
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
