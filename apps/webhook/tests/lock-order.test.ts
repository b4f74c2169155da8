import { silentLogger } from '@market-state/logging';
import { inTransaction } from '@market-state/postgres';
import { waitUntil } from '@market-state/testing';
import type { PoolClient } from 'pg';
import { holdRuleVersions } from '../src/store/evaluation';
import { lockQueue, wakeQueues } from '../src/store/endpoint-queues';
import { takePositions } from '../src/store/messages';
import { type HooksUnderTest, startHooksUnderTest, TENANT } from './hooks-under-test';

let test: HooksUnderTest;

beforeAll(async () => {
  test = await startHooksUnderTest(silentLogger());
});

afterAll(() => test?.close());

interface Named {
  readonly tenantId: string;
  readonly endpointId: string;
  readonly messageId: string;
}

const calls: Record<string, (named: Named) => Promise<unknown>> = {
  'a message sent again': (named) => test.messages.resendMessage(named),
  'an endpoint that is tested': (named) => test.endpoints.testEndpoint(named),
  'an endpoint that is changed': (named) =>
    test.endpoints.updateEndpoint({ ...named, eventKinds: [], symbols: { symbols: ['ETHUSD-PERP'] } }),
  'an endpoint that is disabled': (named) => test.endpoints.updateEndpoint({ ...named, eventKinds: [], disabled: true }),
  'an endpoint that is deleted': (named) => test.endpoints.deleteEndpoint(named),
};

/** A live endpoint with a delivery. */
async function sent(): Promise<Named> {
  const endpointId = await test.live();
  const [messageId = ''] = await test.report({});
  await test.attempt('ok');
  return { tenantId: TENANT, endpointId, messageId };
}

/** Starts a call while a transaction holds its first locks, and ends the transaction once the call waits for them. */
async function between(
  locks: (on: PoolClient) => Promise<unknown>,
  call: () => Promise<unknown>,
  rest: (on: PoolClient) => Promise<unknown>,
) {
  let answer: Promise<unknown> = Promise.resolve();
  await inTransaction(test.pool, async (client) => {
    await locks(client);
    answer = call();
    answer.catch(() => undefined);
    await waitUntil(
      'the call waits for a lock',
      async () =>
        (await test.pool.query(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`)).rowCount,
    );
    await rest(client);
  });
  // The endpoint test waits for its first attempt.
  const ending = setInterval(() => void test.attempt('ok').catch(() => undefined), 100);
  await answer.finally(() => clearInterval(ending));
}

describe.each(Object.entries(calls))('%s', (_, call) => {
  it('waits for a worker that writes results, and the worker never for it', async () => {
    const named = await sent();
    await between(
      async (on) => {
        await takePositions(on, new Map([[TENANT, 0]]));
        await lockQueue(on, TENANT, named.endpointId);
      },
      () => call(named),
      async (on) => {
        await on.query('UPDATE delivery SET attempts = attempts + 1 WHERE endpoint_id = $1', [named.endpointId]);
        await on.query('UPDATE endpoint SET last_success_ms = 1 WHERE endpoint_id = $1', [named.endpointId]);
      },
    );
  });
});

describe.each(['an endpoint that is changed', 'an endpoint that is disabled', 'an endpoint that is deleted'])('%s', (name) => {
  it('waits for an evaluator that looks at rules, and the evaluator never for it', async () => {
    const named = await sent();
    await between(
      (on) => holdRuleVersions(on, 'BTCUSD-PERP'),
      () => calls[name]?.(named) ?? Promise.reject(new Error('no such call')),
      async (on) => {
        await takePositions(on, new Map([[TENANT, 0]]));
        await wakeQueues(on, [named.endpointId], Date.now());
      },
    );
  });
});
