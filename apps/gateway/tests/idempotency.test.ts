import { account } from '@market-state/contracts';
import { deadlineExceeded, failedPrecondition, unavailable } from '@market-state/errors';
import { createClient, createHealth, startGrpcServer } from '@market-state/grpc';
import { createCloser } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import { testPeer, testServing } from '@market-state/testing';
import { createIdempotency, type Idempotency, type IdempotentRequest, serveOnce } from '../src/serving/idempotency';
import { operationById } from '../src/serving/openapi/operations';
import type { AnyCall } from '../src/serving/answers/handler';
import { standInIdempotency } from './stand-in/account-idempotency';

const closer = createCloser();
let idempotency: Idempotency;
beforeAll(async () => {
  const server = await startGrpcServer({
    ...testServing('account'),
    address: '127.0.0.1:0',
    services: [standInIdempotency()],
    health: createHealth([]),
    logger: silentLogger(),
    shutdownWaitMs: 0,
  });
  closer.add('server', () => server.close());
  const client = createClient({ definition: account.IdempotencyServiceService, peer: testPeer('account'), address: server.address });
  closer.add('client', () => client.close());
  idempotency = createIdempotency(client, silentLogger());
});
afterAll(() => closer.close());

/** Call of a route with an id in its path. */
const call: IdempotentRequest = {
  operation: operationById('updateKey'),
  tenantId: 'ten_1',
  key: 'k-1',
  input: { path: { key_id: 'key_1' }, query: { dry: 'no' }, body: { name: 'a', scopes: ['read'] } },
};
const answer = { contentType: 'application/json', body: Buffer.from('{"done":true}'), location: '/done' };

describe('a call that carries the Idempotency-Key of an earlier one', () => {
  beforeAll(async () => {
    const beginning = await idempotency.begin(call);
    if (beginning.kind === 'started') await beginning.call.finish(answer);
  });

  it('gets its answer if path, query and body are the same in any order', async () => {
    expect(
      await idempotency.begin({
        ...call,
        input: { body: { scopes: ['read'], name: 'a' }, query: { dry: 'no' }, path: { key_id: 'key_1' } },
      }),
    ).toMatchObject({ kind: 'replayed', answer: { body: answer.body, location: '/done' } });
  });

  it.each([
    ['the id in its path', { path: { key_id: 'key_2' } }],
    ['a parameter of its query', { query: { dry: 'yes' } }],
    ['its body', { body: { name: 'b', scopes: ['read'] } }],
    ['that it has no body', { body: undefined }],
  ])('is refused when %s is another', async (_what, part) => {
    await expect(idempotency.begin({ ...call, input: { ...call.input, ...part } })).rejects.toMatchObject({
      faults: [{ loc: ['header', 'idempotency-key'], type: 'idempotency_mismatch' }],
    });
  });
});

it('is not answered when another try has taken it over before it was done', async () => {
  const beginning = await idempotency.begin({ ...call, key: 'k-2' });
  if (beginning.kind !== 'started') throw new Error(beginning.kind);
  await beginning.call.abandon();
  await expect(beginning.call.finish(answer)).rejects.toMatchObject({ code: 'idempotency_in_flight', headers: { 'Retry-After': '1' } });
});

describe('a call that failed', () => {
  const callWith = (key: string) =>
    ({
      operation: operationById('createKey'),
      input: { ...call.input, headers: { 'idempotency-key': key } },
      grant: { tenantId: 'ten_1' },
    }) as unknown as AnyCall;

  it.each([
    ['a call that ran out of time', deadlineExceeded('deadline_exceeded', 'Too late.')],
    ['a service that was lost', unavailable('overloaded', 'Too much to do.')],
    ['a fault of ours', new Error('unexpected')],
  ])('keeps its key after %s: the work may have happened', async (what, error) => {
    await expect(serveOnce(idempotency, callWith(what.replaceAll(' ', '-')), () => Promise.reject(error))).rejects.toBe(error);
    await expect(
      serveOnce(idempotency, callWith(what.replaceAll(' ', '-')), () => Promise.reject(new Error('served twice'))),
    ).rejects.toMatchObject({ code: 'idempotency_in_flight' });
  });

  it('gives its key back when it was refused', async () => {
    const error = failedPrecondition('lease_over', 'It is over.');
    for (let tries = 0; tries < 2; tries += 1)
      await expect(serveOnce(idempotency, callWith('refused'), () => Promise.reject(error))).rejects.toBe(error);
  });
});
