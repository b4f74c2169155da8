import { setTimeout as delay } from 'node:timers/promises';
import { invalidArgument } from '@market-state/errors';
import { silentLogger } from '@market-state/logging';
import { createMetrics } from '@market-state/telemetry';
import type { BatchOutcome, Charge, ChargeBatch, Priced } from './credit-calls';
import { createLeaseRegistry, type LeaseRegistry } from './lease-registry';

const INVALID_ARGUMENT = 3;
const UNAVAILABLE = 14;
const FAILED_PRECONDITION = 9;

const charge = (operationId: string): Charge => ({ operationId, requestId: '', status: 200, servedTsMs: 0 });
const failed = (code: number, reason: string): BatchOutcome => ({
  $case: 'failed',
  value: { code, sentence: 'No.', metadata: { 'x-error-reason': reason } },
});

/** Registry over a ledger that grants leases and answers batches from a list; the last answer repeats. */
function openRegistry(...answers: (BatchOutcome | Promise<BatchOutcome>)[]) {
  const metrics = createMetrics('gateway');
  const batches: ChargeBatch[] = [];
  const posted: string[] = [];
  const ending = { now: 0, most: 0, total: 0 };
  const takes: Promise<unknown>[] = [];
  let leases = 0;
  const leaseRegistry: LeaseRegistry = createLeaseRegistry<{ readonly control: string }>({
    gatewayId: 'worker_1',
    credits: {
      async takeLease({ needed }) {
        if (needed > 100) throw new Error('account is away');
        if (needed > 10) return { refusal: { control: 'balance' } };
        leases += 1;
        const leaseId = `lea_${leases}`;
        await takes.shift();
        return { lease: { leaseId, amount: 10, endsAtReset: false, available: 0, lifeMs: 60_000 } };
      },
      async postCharges(request) {
        if (new Set(request.batches.map(({ leaseId }) => leaseId)).size < request.batches.length) throw invalidArgument([]);
        batches.push(...request.batches);
        return { outcomes: [{ outcome: await (answers.length > 1 ? answers.shift() : answers[0]) }] };
      },
      async endLease() {
        ending.total += 1;
        ending.now += 1;
        ending.most = Math.max(ending.most, ending.now);
        await delay(1);
        ending.now -= 1;
      },
      async *watchRecalls(_request, { signal }) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        yield { leaseIds: [] };
      },
    },
    refusals: {
      creditsRefused: ({ control }, needed) => new Error(`${control}: ${needed}`),
      callTooDear: () => new Error('too expensive'),
      meteringUnavailable: () => new Error('away'),
    },
    onPosted: (charges) => void posted.push(...charges.map(({ operationId }) => operationId)),
    logger: silentLogger(),
    metrics,
    monotonicMs: () => performance.now(),
  });
  return { leaseRegistry, batches, posted, ending, takes, metrics };
}

test('charges are reported as posted once account has acknowledged them, however often their batch was sent', async () => {
  const { leaseRegistry, batches, posted } = openRegistry(failed(UNAVAILABLE, 'upstream_unavailable'), {
    $case: 'posted',
    value: { available: 0, leaseLeft: 8 },
  });
  const holder = leaseRegistry.holderOf('ten_1');
  for (const id of ['one', 'two']) (await holder.hold(1)).settle(1, charge(id));
  await holder.posted();
  expect(posted).toEqual(['one', 'two']);
  expect(batches.map(({ leaseId, batch }) => [leaseId, batch])).toEqual([
    ['lea_1', 1],
    ['lea_1', 1],
  ]);
  await leaseRegistry.close();
});

test('charges of one caller at one price share a group, and groups go out again as charges to an account that reads only those', async () => {
  const posted: BatchOutcome = { $case: 'posted', value: { available: 0, leaseLeft: 0 } };
  const { leaseRegistry, batches, posted: reported } = openRegistry(failed(INVALID_ARGUMENT, 'invalid_argument'), posted);
  const caller = { tenantId: 'ten_1', keyId: 'key_1', accountId: '' };
  const other = { ...caller, keyId: 'key_2' };
  const holder = leaseRegistry.holderOf('ten_1');
  const sent = [
    { ...charge('op_1'), caller, servedTsMs: 1 },
    { ...charge('op_2'), caller: other, servedTsMs: 2 },
    { ...charge('op_3'), caller: { ...caller }, servedTsMs: 3 },
  ];
  for (const each of sent) (await holder.hold(1)).settle(1, each);
  await holder.posted();
  expect(batches).toEqual([
    {
      leaseId: 'lea_1',
      batch: 1,
      charges: [],
      groups: [
        { caller, priced: undefined, status: 200, operationIds: ['op_1', 'op_3'], requestIds: ['', ''], servedTsMs: [1, 3] },
        { caller: other, priced: undefined, status: 200, operationIds: ['op_2'], requestIds: [''], servedTsMs: [2] },
      ],
    },
    { leaseId: 'lea_1', batch: 1, groups: [], charges: sent.map((each) => ({ ...each, priced: undefined })) },
  ]);
  expect(reported).toEqual(['op_1', 'op_2', 'op_3']);
  await leaseRegistry.close();
});

test('a reader of charges does not wait for the batches that theirs was sent with', async () => {
  const { leaseRegistry, batches, posted } = openRegistry(new Promise(() => undefined), {
    $case: 'posted',
    value: { available: 0, leaseLeft: 7 },
  });
  const holder = leaseRegistry.holderOf('ten_1');
  const priced = { observedMarketStateCredits: 3 } as Priced;
  (await holder.hold(3)).settle(3, { ...charge('one'), priced });
  const first = holder.posted();
  (await holder.hold(2)).settle(2, { ...charge('two'), priced: { ...priced, observedMarketStateCredits: 2 } });
  expect(leaseRegistry.unacknowledged('ten_1')).toEqual([
    { leaseId: 'lea_1', batch: 1, credits: 3 },
    { leaseId: 'lea_1', batch: 2, credits: 2 },
  ]);
  await holder.posted();
  await first;
  expect([posted, batches.map(({ batch }) => batch), leaseRegistry.unacknowledged('ten_1')]).toEqual([['one', 'two'], [1, 1, 2], []]);
  await leaseRegistry.close();
});

test('a reader of charges does not wait for later charges', async () => {
  const answer: BatchOutcome = { $case: 'posted', value: { available: 0, leaseLeft: 9 } };
  let answerLater: (outcome: BatchOutcome) => void = () => undefined;
  const later = new Promise<BatchOutcome>((resolve) => void (answerLater = resolve));
  const { leaseRegistry, batches } = openRegistry(answer, later);
  const lease = await leaseRegistry.holderOf('ten_1').hold(2);
  lease.hold(1);
  lease.settle(2, charge('one'));
  const posted = lease.posted();
  lease.settle(1, charge('two'));
  await posted;
  expect(batches.map(({ batch }) => batch)).toEqual([1]);
  answerLater(answer);
  await leaseRegistry.close();
});

test('two readers at once send a lease’s batch in two calls, because account refuses a call that names a lease twice', async () => {
  const { leaseRegistry, batches, posted } = openRegistry({ $case: 'posted', value: { available: 0, leaseLeft: 9 } });
  const holder = leaseRegistry.holderOf('ten_1');
  (await holder.hold(1)).settle(1, charge('one'));
  await Promise.all([holder.posted(), holder.posted()]);
  expect([posted, batches.map(({ leaseId, batch }) => [leaseId, batch])]).toEqual([
    ['one'],
    [
      ['lea_1', 1],
      ['lea_1', 1],
    ],
  ]);
  await leaseRegistry.close();
});

test.each(['in advance', 'for a waiting call'])('a lease that is being taken %s is returned by close', async (purpose) => {
  const { leaseRegistry, ending, takes } = openRegistry(undefined);
  const holder = leaseRegistry.holderOf('ten_1');
  const isAhead = purpose === 'in advance';
  if (isAhead) (await holder.hold(1)).cancel(1);
  let arrive: (value?: unknown) => void = () => undefined;
  takes.push(new Promise((resolve) => void (arrive = resolve)));
  // Six of ten credits are spent at once: the next lease is taken.
  const holds = Array.from({ length: isAhead ? 6 : 1 }, () => holder.hold(1));
  const cancelled = Promise.all(holds.map(async (hold) => (await hold).cancel(1)));
  if (isAhead) await cancelled;
  const closed = leaseRegistry.close();
  arrive();
  await Promise.all([cancelled, closed]);
  expect([ending.total, holder.unused()]).toEqual([isAhead ? 2 : 1, 0]);
});

test('refused charges are not reported as posted, and go out on another lease when repeated', async () => {
  const { leaseRegistry, batches, posted } = openRegistry(failed(FAILED_PRECONDITION, 'lease_over'), {
    $case: 'posted',
    value: { available: 0, leaseLeft: 9 },
  });
  const holder = leaseRegistry.holderOf('ten_1');
  (await holder.hold(1)).settle(1, charge('one'));
  await holder.posted();
  expect(posted).toEqual([]);
  (await holder.hold(1)).settle(1, charge('one'));
  await leaseRegistry.close();
  expect(posted).toEqual(['one']);
  expect(batches.map(({ leaseId }) => leaseId)).toEqual(['lea_1', 'lea_2']);
});

test('a refusal is thrown as the process words it', async () => {
  const { leaseRegistry } = openRegistry(undefined);
  await expect(leaseRegistry.holderOf('ten_1').hold(11)).rejects.toThrow('balance: 11');
  await leaseRegistry.close();
});

test('leases of many tenants that end together go back a few at a time, and all of them', async () => {
  const { leaseRegistry, ending } = openRegistry(undefined);
  const tenants = Array.from({ length: 200 }, (_, number) => `ten_${number}`);
  for (const tenant of tenants) (await leaseRegistry.holderOf(tenant).hold(1)).cancel(1);
  for (const tenant of tenants) leaseRegistry.giveBack(tenant);
  const held = await leaseRegistry.holderOf('ten_0').hold(1);
  expect(ending.total).toBeLessThan(tenants.length);
  held.cancel(1);
  for (const tenant of tenants.slice(1)) await leaseRegistry.holderOf(tenant).settled();
  expect(ending).toEqual({ now: 0, most: 8, total: 200 });
  await leaseRegistry.close();
});

test('calls without credits are counted by reason, each from 0', async () => {
  const { leaseRegistry, metrics } = openRegistry(undefined);
  const counts = async () => {
    const { values } = (await metrics.registry.getSingleMetric('credit_leases_refused_total')?.get()) ?? { values: [] };
    return Object.fromEntries(values.map(({ labels, value }) => [labels['reason'], value]));
  };
  expect(await counts()).toEqual({ credits: 0, call_ceiling: 0, unavailable: 0 });
  await Promise.allSettled([11, 12].map((credits) => leaseRegistry.holderOf('ten_1').hold(credits)));
  await expect(leaseRegistry.holderOf('ten_2').hold(101)).rejects.toThrow('away');
  expect(await counts()).toEqual({ credits: 2, call_ceiling: 0, unavailable: 1 });
  await leaseRegistry.close();
});
