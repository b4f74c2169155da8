import { grantCredits, grantPlan, ledgerAudit } from '@market-state/account';
import type { account } from '@market-state/contracts';
import { inTransaction } from '@market-state/postgres';
import { atOnce, openPrivateStores, createRandom, oneOf, wholeBetween } from '@market-state/testing';
import type { Suite } from '../harness';
import { hostCredits, type CreditHost } from './credit-host';
import { chargeOf, pricedAt, postUntilKnown as post } from './charge';
import { type Kind, LedgerModel } from './ledger-model';

const KINDS: readonly Kind[] = ['market_state', 'export'];
const START_MS = Date.UTC(2027, 0, 30, 22);
const SECOND_MS = 1_000;
/** Leases tracked by a run, open or ended. */
const LEASES_MAX = 6;
const GRACE_MS = 30 * SECOND_MS;

interface KnownLease {
  readonly id: string;
  readonly gatewayId: string;
  batch: number;
  last: account.Charge[];
}

/** Compares the service with the model after each random step. @throws Error naming the step and the difference */
async function runModel(host: CreditHost, seed: number, steps: number): Promise<void> {
  const run = await createRun(host, seed);
  for (let step = 0; step < steps; step += 1) {
    const name = run.next();
    try {
      await run.step(name);
      await run.compare();
    } catch (error) {
      throw new Error(`seed ${seed}, step ${step} (${name}): ${(error as Error).message}`, { cause: error });
    }
  }
}

async function createRun({ credits, call, setNow }: CreditHost, seed: number) {
  const random = createRandom(seed);
  const whole = (from: number, to: number): number => wholeBetween(from, to, random);
  const model = new LedgerModel();
  const tenantId = `ten_model_${seed}`;
  const leases: KnownLease[] = [];
  const reservations = new Map<string, { state: 'open' | 'settled' | 'released'; estimates: Record<Kind, number>; endsMs: number }>();
  let nowMs = START_MS;
  let made = 0;
  setNow(nowMs);
  await credits.pool.query('INSERT INTO tenant (id, name, created_at) VALUES ($1, $1, now())', [tenantId]);
  model.at(nowMs);

  const fresh = (prefix: string): string => `${prefix}_${seed}_${(made += 1)}`;
  const failure = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'none',
      (error: { reason?: string }) => error.reason ?? String(error),
    );

  function expectSame(what: string, actual: unknown, expected: unknown): void {
    if (JSON.stringify(actual) !== JSON.stringify(expected))
      throw new Error(`${what}: ${JSON.stringify(actual)}, but the model has ${JSON.stringify(expected)}`);
  }

  function passTime(): void {
    const kinds = [
      whole(1, 20) * SECOND_MS,
      whole(30, 100) * SECOND_MS,
      whole(1, 20) * 3_600_000,
      whole(1, 40) * 86_400_000,
      -whole(1, 300) * SECOND_MS,
    ];
    const untilMidnight = 86_400_000 - (nowMs % 86_400_000);
    nowMs +=
      random() < 0.2
        ? untilMidnight + whole(-40, 40) * SECOND_MS
        : (oneOf([...kinds, ...kinds.slice(0, 2), ...kinds.slice(0, 2)], random) ?? 0);
    setNow(nowMs);
  }

  async function giveCredits(): Promise<void> {
    const amounts = { market_state: whole(0, 60), export: whole(0, 10) };
    const expiresMs = random() < 0.4 ? null : nowMs + whole(1, 5_000) * 60_000;
    const operationId = fresh('gift');
    for (const expected of [true, false]) {
      const gift = { source: 'operator', operationId, note: 'model', credits: amounts, expiresMs, nowMs } as const;
      expectSame('given', await inTransaction(credits.pool, (client) => grantCredits(client, tenantId, gift)), expected);
    }
    for (const kind of KINDS) model.give(kind, amounts[kind], expiresMs);
  }

  async function setPlan(): Promise<void> {
    const renewal = oneOf(['none', 'daily', 'monthly'] as const, random);
    const ownCredits = { market_state: whole(1, 80), export: whole(1, 10) };
    await inTransaction(credits.pool, (client) =>
      grantPlan(client, tenantId, { planId: 'enterprise', renewal, operationId: null, months: null, ownCredits, nowMs }),
    );
    model.setPlan(JSON.stringify([renewal, ownCredits]), renewal, ownCredits, nowMs);
  }

  async function takeLease(): Promise<void> {
    const needed = whole(0, 30);
    const wanted = whole(1, 60);
    const gatewayId = fresh('gw');
    const usable = model.usable('market_state');
    // The service asks gateways to end their leases before it refuses; this test ends them first.
    if (usable < needed) for (const { id } of leases) await endLease(id);
    const free = model.usable('market_state');
    const { lease, refusal } = await call.takeLease({ tenantId, gatewayId, needed, wanted });
    if (free < needed) return expectRefusal(refusal, needed);
    const resetMs = nowMs - (nowMs % 86_400_000) + 86_400_000;
    const expiresMs = Math.min(nowMs + 60 * SECOND_MS, resetMs);
    const amount = Math.min(Math.max(needed, wanted), Math.max(0, free));
    expectSame('lease', [lease?.amount, lease?.expiresTsMs, lease?.endsAtReset], [amount, expiresMs, expiresMs === resetMs]);
    if (lease === undefined) return;
    model.hold(lease.leaseId, 'gateway', 'market_state', amount, expiresMs + GRACE_MS);
    leases.push({ id: lease.leaseId, gatewayId, batch: 0, last: [] });
    expectSame('available', lease.available, Math.max(0, model.usable('market_state')));
  }

  /** The refusal must name a limiting control and its remaining allowance. */
  function expectRefusal(refusal: account.Refusal | undefined, needed: number): void {
    const free = model.limits('market_state').get(refusal?.control.replace('CREDIT_CONTROL_', '') ?? '') ?? needed;
    expectSame('refused with', [refusal?.available, free < needed], [Math.max(0, free), true]);
  }

  async function endLease(id: string): Promise<void> {
    await call.endLease({ leaseId: id });
    model.release(id);
    // Credits returned to an expired grant expire before anything else is reserved.
    model.at(nowMs);
  }

  async function postBatch(): Promise<void> {
    const lease = oneOf(leases, random);
    if (lease === undefined) return;
    const left = model.leftOf(lease.id);
    const charges: account.Charge[] = [];
    for (let rest = random() < 0.1 ? left + 1 : left, calls = whole(1, 6); charges.length < calls; ) {
      const cost = charges.length === calls - 1 && rest > left ? rest : whole(0, Math.min(rest, 5));
      rest -= cost;
      charges.push(chargeOf(tenantId, fresh('op'), cost, nowMs));
    }
    const cost = charges.reduce((sum, { priced }) => sum + (priced?.observedMarketStateCredits ?? 0), 0);
    const batch = { leaseId: lease.id, batch: lease.batch + 1, charges, groups: [] };
    if (!model.isOpen(lease.id)) return expectSame('a batch of an ended lease', await failure(post({ call }, batch)), 'lease_over');
    if (cost > left) return expectSame('a batch beyond its lease', await failure(post({ call }, batch)), 'invalid_argument');
    expectSame('a batch out of order', await failure(post({ call }, { ...batch, batch: batch.batch + 1 })), 'invalid_argument');
    const posted = await post({ call }, batch);
    model.charge(lease.id, cost);
    Object.assign(lease, { batch: batch.batch, last: charges });
    expectSame('after a batch', [posted.available, posted.leaseLeft], [Math.max(0, model.usable('market_state')), left - cost]);
  }

  async function postAgain(): Promise<void> {
    const lease = oneOf(
      leases.filter(({ batch }) => batch > 0),
      random,
    );
    if (lease !== undefined) await post({ call }, { leaseId: lease.id, batch: whole(1, lease.batch), charges: lease.last, groups: [] });
  }

  async function reserve(): Promise<void> {
    const estimates = { market_state: whole(0, 8), export: whole(0, 6) };
    const operationId = fresh('job');
    const endsMs = nowMs + whole(1, 4_000) * SECOND_MS;
    if (model.usable('market_state') < estimates.market_state) for (const { id } of leases) await endLease(id);
    const order = { operationId, caller: { tenantId, keyId: 'key_1', accountId: '' }, requestId: operationId, expiresTsMs: endsMs };
    const priced = { ...pricedAt(estimates.market_state, estimates.export), observedMarketStateCredits: 0, observedExportCredits: 0 };
    const { reserved } = await call.reserve({ ...order, priced });
    expectSame(
      'reserved',
      reserved,
      KINDS.every((kind) => estimates[kind] === 0 || model.usable(kind) >= estimates[kind]),
    );
    if (!reserved) return;
    reservations.set(operationId, { state: 'open', estimates, endsMs });
    for (const kind of KINDS) if (estimates[kind] > 0) model.hold(`${operationId}:${kind}`, 'work', kind, estimates[kind], endsMs);
    expectSame('reserving again', (await call.reserve({ ...order, priced })).reserved, true);
  }

  async function finish(): Promise<void> {
    const [operationId, reservation] = oneOf([...reservations], random) ?? [];
    if (operationId === undefined || reservation === undefined) return;
    const { estimates } = reservation;
    const holds = KINDS.filter((kind) => estimates[kind] > 0);
    if (reservation.state === 'open' && holds.some((kind) => !model.isOpen(`${operationId}:${kind}`))) reservation.state = 'released';
    const settles = random() < 0.6;
    const observed = { market_state: whole(0, 9), export: whole(0, 7) };
    const work = settles
      ? call.settle({
          operationId,
          observedMarketStateCredits: observed.market_state,
          observedExportCredits: observed.export,
          artifactIds: [operationId],
        })
      : call.release({ operationId });
    const wanted = settles ? 'settled' : 'released';
    expectSame(wanted, await failure(work), reservation.state === 'open' || reservation.state === wanted ? 'none' : 'reservation_over');
    if (reservation.state !== 'open') return;
    reservation.state = wanted;
    for (const kind of holds) {
      const hold = `${operationId}:${kind}`;
      if (settles) model.charge(hold, Math.min(observed[kind], estimates[kind]));
      model.release(hold);
    }
  }

  async function setCaps(): Promise<void> {
    const cap = (to: number): number | null => (random() < 0.5 ? null : whole(0, to));
    model.caps = { monthly: cap(150), daily: cap(100), exports: cap(25) };
    const { monthly, daily, exports } = model.caps;
    const controls = { monthlyCreditCap: monthly ?? undefined, dailyCreditCap: daily ?? undefined, exportCreditCap: exports ?? undefined };
    await call.setSpendControls({ tenantId, controls });
  }

  const STEPS: readonly (readonly [name: string, weight: number, step: () => void | Promise<void>])[] = [
    ['time', 14, passTime],
    ['gift', 8, giveCredits],
    ['plan', 4, setPlan],
    ['lease', 20, takeLease],
    ['batch', 30, postBatch],
    ['posting a batch again', 6, postAgain],
    [
      'end of a lease',
      6,
      async () => {
        if (leases.length > 0) await endLease(oneOf(leases, random)?.id ?? '');
      },
    ],
    ['reservation', 8, reserve],
    ['end of a reservation', 8, finish],
    ['caps', 4, setCaps],
  ];

  return {
    next(): string {
      let at = random() * STEPS.reduce((sum, [, weight]) => sum + weight, 0);
      return STEPS.find(([, weight]) => (at -= weight) < 0)?.[0] ?? '';
    },
    async step(name: string): Promise<void> {
      model.at(nowMs);
      await STEPS.find(([known]) => known === name)?.[2]();
      while (leases.length > LEASES_MAX) await endLease(leases.shift()?.id ?? '');
    },
    async compare(): Promise<void> {
      model.at(nowMs);
      const { balances } = await call.getBalances({ tenantId });
      for (const kind of KINDS) {
        const { available, held, leasedToGateways, spentToday, spentThisMonth } = balances[KINDS.indexOf(kind)] ?? {};
        expectSame(kind, { available, held, leasedToGateways, spentToday, spentThisMonth }, model.balance(kind));
      }
      const { faults } = await ledgerAudit(credits.pool, nowMs, tenantId);
      if (faults.length > 0) throw new Error(faults.map(({ message }) => message).join(' '));
    },
  };
}

const STEPS = 200;
const AT_ONCE = 6;
const FAILURES_MAX = 5;

export const creditModelSuite: Suite = {
  id: 'credit-model',
  claim:
    `after each of ${STEPS} random steps the ledger equals a model that tracks every credit, sums to zero and ` +
    `holds nothing past its expiry`,
  budget: { default: 1_000, counts: 'runs' },
  short: { seed: 20_270_115, budget: 2 },
  async run({ closer, report, seed, budget, say }) {
    const url = (await openPrivateStores(closer, 'account')).postgresUrl('account');
    let next = 0;
    await atOnce(Math.min(AT_ONCE, budget), async () => {
      const host = hostCredits(closer, url, 0);
      while (next < budget && report.failures.length < FAILURES_MAX) {
        const run = (next += 1);
        await runModel(host, seed + run, STEPS).catch((error: Error) => report.fail(error.message));
        if (run % 50 === 0) say(`run ${run} of ${budget}`);
      }
    });
    report.figure('runs', next);
    report.figure('steps', next * STEPS);
  },
};
