import { createHash, randomBytes } from 'node:crypto';
import { account } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { testPeer } from '@market-state/testing';
import fc from 'fast-check';
import { createSeal } from '../src/seal';
import { sweepCalls, KEPT_MS, LEASE_MS } from '../src/idempotent-calls';
import { createIdempotencyModel } from './idempotency-model';
import { type AccountUnderTest, startAccountUnderTest } from './account-under-test';

let service: AccountUnderTest;
let clients: GrpcClient<account.IdempotencyServiceService>[];
const tenantId = 'ten_one';
const otherTenantId = 'ten_two';

beforeAll(async () => {
  service = await startAccountUnderTest();
  clients = [0, 1].map(() =>
    createClient({
      definition: account.IdempotencyServiceService,
      peer: testPeer('account'),
      address: service.server.address,
      deadlineMs: 20_000,
    }),
  );
  await service.sql('INSERT INTO tenant (id, name, created_at) VALUES ($1, $1, now()), ($2, $2, now())', [tenantId, otherTenantId]);
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await service.stop();
});

const calls = (): GrpcClient<account.IdempotencyServiceService>['call'] =>
  (clients[0] as GrpcClient<account.IdempotencyServiceService>).call;
const digest = (body: string): Buffer => createHash('sha256').update(body).digest();

function requested(part: Partial<account.BeginRequest> = {}): account.BeginRequest {
  return {
    tenantId,
    method: 'POST',
    route: '/things',
    idempotencyKey: randomBytes(8).toString('hex'),
    bodyDigest: digest('body'),
    ...part,
  };
}

async function started(request: account.BeginRequest): Promise<account.Begun> {
  const { outcome } = await calls().begin(request);
  if (outcome?.$case !== 'begun') throw new Error(`not started: ${outcome?.$case}`);
  return outcome.value;
}

const answer: account.StoredAnswer = {
  status: 201,
  contentType: 'application/json',
  body: Buffer.from('{"made":"thing"}'),
  location: '/things/1',
};

test('of 200 equal concurrent calls one begins and the others learn that it runs', async () => {
  const request = requested();
  const outcomes = await Promise.all(Array.from({ length: 200 }, (_, index) => clients[index % 2]?.call.begin(request)));
  const counts = new Map<string | undefined, number>();
  for (const response of outcomes) counts.set(response?.outcome?.$case, (counts.get(response?.outcome?.$case) ?? 0) + 1);
  expect(Object.fromEntries(counts)).toEqual({ begun: 1, running: 199 });
});

test('a stored answer is returned whole; another body is a mismatch', async () => {
  const request = requested();
  const { operationId, fence } = await started(request);
  await calls().finish({ tenantId, operationId, fence, answer });
  expect((await calls().begin(request)).outcome).toEqual({ $case: 'stored', value: answer });
  expect((await calls().begin({ ...request, bodyDigest: digest('other') })).outcome?.$case).toBe('mismatch');
  await calls().finish({ tenantId, operationId, fence, answer });
});

test('a key is counted by tenant, method and route', async () => {
  const request = requested();
  const ids = new Set<string>();
  for (const part of [{}, { tenantId: otherTenantId }, { method: 'PUT' }, { route: '/others' }])
    ids.add((await started({ ...request, ...part })).operationId);
  expect(ids.size).toBe(4);
});

test('a silent owner is taken over after 60 s under the same operation, and its answer is refused then', async () => {
  const request = requested();
  const first = await started(request);
  service.clock.aheadMs += LEASE_MS - 1_000;
  expect((await calls().begin(request)).outcome?.$case).toBe('running');
  service.clock.aheadMs += 1_000;
  const second = await started(request);
  expect(second).toEqual({ operationId: first.operationId, fence: 2 });
  const refused = { code: 'FAILED_PRECONDITION', reason: 'fence_passed' };
  await expect(calls().finish({ tenantId, ...first, answer })).rejects.toMatchObject(refused);
  await expect(calls().abandon({ tenantId, ...first })).rejects.toMatchObject(refused);
  await calls().finish({ tenantId, ...second, answer });
  expect((await calls().begin(request)).outcome?.$case).toBe('stored');
});

test('of many that take over at once one does', async () => {
  const request = requested();
  await started(request);
  service.clock.aheadMs += LEASE_MS;
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => calls().begin(request)));
  const fences = outcomes.flatMap(({ outcome }) => (outcome?.$case === 'begun' ? [outcome.value.fence] : []));
  expect(fences).toEqual([2]);
});

test('a call given up frees its key, for another body too; giving up again is fine', async () => {
  const request = requested();
  const first = await started(request);
  await calls().abandon({ tenantId, ...first });
  await calls().abandon({ tenantId, ...first });
  const second = await started({ ...request, bodyDigest: digest('corrected') });
  expect(second.fence).toBe(1);
  expect(second.operationId).not.toBe(first.operationId);
  await expect(calls().finish({ tenantId, ...first, answer })).rejects.toMatchObject({ reason: 'fence_passed' });
});

test('an answer is kept 24 h and swept then', async () => {
  const request = requested();
  const held = await started(request);
  await calls().finish({ tenantId, ...held, answer });
  service.clock.aheadMs += KEPT_MS - 1_000;
  expect((await calls().begin(request)).outcome?.$case).toBe('stored');
  service.clock.aheadMs += 1_000;
  const again = await started(request);
  expect(again.operationId).not.toBe(held.operationId);
  service.clock.aheadMs += KEPT_MS + LEASE_MS;
  const pool = {
    query: async (text: string, values: unknown[]) => ({ rowCount: (await service.sql(`${text} RETURNING id`, values)).length }),
  };
  expect(await sweepCalls({ pool: pool as never, clock: () => Date.now() + service.clock.aheadMs })).toBeGreaterThan(0);
  expect(await service.sql('SELECT 1 FROM idempotent_call')).toEqual([]);
});

test('another tenant cannot answer a call, and every bad field is named', async () => {
  const held = await started(requested());
  await expect(calls().finish({ tenantId: otherTenantId, ...held, answer })).rejects.toMatchObject({ reason: 'fence_passed' });
  await expect(calls().begin(requested({ tenantId: 'ten_none' }))).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'unknown_tenant' });
  const bad = { tenantId: '', method: 'post', route: 'things', idempotencyKey: 'with space', bodyDigest: Buffer.alloc(31) };
  await expect(calls().begin(bad)).rejects.toMatchObject({
    faults: ['tenant_id', 'method', 'route', 'idempotency_key', 'body_digest'].map((field) => ({ field })),
  });
  for (const idempotencyKey of ['', 'x'.repeat(256), 'ü', 'a\u007f'])
    await expect(calls().begin(requested({ idempotencyKey }))).rejects.toMatchObject({ faults: [{ field: 'idempotency_key' }] });
  await started(requested({ idempotencyKey: '~'.repeat(255) }));
  await expect(calls().finish({ tenantId, ...held, answer: undefined })).rejects.toMatchObject({ faults: [{ field: 'answer' }] });
});

test('an answer and a key are not readable in the database, and an answer opens only for its call', async () => {
  const request = requested({ idempotencyKey: 'canary-of-the-key' });
  const held = await started(request);
  await calls().finish({ tenantId, ...held, answer: { ...answer, body: Buffer.from('canary-of-the-answer') } });
  const [row] = await service.sql<{ dump: string }>(`SELECT query_to_xml('SELECT * FROM idempotent_call', true, true, '')::text AS dump`);
  for (const canary of ['canary-of-the-key', 'canary-of-the-answer']) {
    for (const form of [canary, Buffer.from(canary).toString('base64'), Buffer.from(canary).toString('hex')])
      expect(row?.dump).not.toContain(form);
  }
  const seal = createSeal('one secret', 'answers');
  const sealed = seal.seal('op_1', Buffer.from('text'));
  expect(seal.open('op_1', sealed)?.toString()).toBe('text');
  for (const opened of [
    seal.open('op_2', sealed),
    createSeal('another', 'answers').open('op_1', sealed),
    seal.open('op_1', sealed.subarray(0, 20)),
  ])
    expect(opened).toBeUndefined();
});

test('any run of calls goes as the model says', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('begin' as const), key: fc.integer({ min: 0, max: 2 }), body: fc.integer({ min: 0, max: 1 }) }),
    fc.record({ kind: fc.constantFrom('finish' as const, 'abandon' as const), nth: fc.nat({ max: 20 }) }),
    fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1_000, LEASE_MS, KEPT_MS) }),
  );
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
  process.stdout.write(`seed ${seed}\n`);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
      run += 1;
      const model = createIdempotencyModel();
      const held: { operationId: string; fence: number; modelId: number }[] = [];
      for (const one of steps) {
        if (one.kind === 'wait') {
          service.clock.aheadMs += one.ms;
          model.wait(one.ms);
        } else if (one.kind === 'begin') {
          const expected = model.begin(one.key, one.body);
          const { outcome } = await calls().begin(
            requested({ idempotencyKey: `run-${run}-${one.key}`, bodyDigest: digest(String(one.body)) }),
          );
          expect(outcome?.$case).toBe(expected.kind);
          if (outcome?.$case !== 'begun' || expected.kind !== 'begun') continue;
          expect(outcome.value.fence).toBe(expected.fence);
          const earlier = held.find(({ modelId }) => modelId === expected.id);
          if (earlier !== undefined) expect(outcome.value.operationId).toBe(earlier.operationId);
          held.push({ ...outcome.value, modelId: expected.id });
        } else {
          const owner = held[one.nth % Math.max(1, held.length)];
          if (owner === undefined) continue;
          const { operationId, fence, modelId } = owner;
          const work =
            one.kind === 'finish'
              ? calls().finish({ tenantId, operationId, fence, answer })
              : calls().abandon({ tenantId, operationId, fence });
          const accepted = await work.then(
            () => true,
            () => false,
          );
          expect(accepted).toBe(model[one.kind](modelId, fence));
        }
      }
    }),
    { seed, numRuns: Number(process.env['PROPERTY_RUNS'] ?? 4) },
  );
});
