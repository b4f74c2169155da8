import { comesTrue, openPrivateStores } from '@market-state/testing';
import { auditLedger, firstOf, openPool, type Suite, type SuiteContext, unreleasedHolds, type Report } from '../harness';
import { openDeliverySystem } from './delivery-system';
import { disturbDeliveries, type DisturbScene, recoverExhausted, recoverGone, type Reported } from './disturb-deliveries';
import {
  type DeliveryFacts,
  faultsOf,
  type Judgement,
  judgeDeliveries,
  countOpen,
  readCharged,
  readStored,
  readMessageIds,
} from './judge-deliveries';
import { openReceivers, type Receivers } from './receivers';

function plantFaults(facts: DeliveryFacts, report: Report): void {
  const judge = (change: Partial<DeliveryFacts>): string => faultsOf(judgeDeliveries({ ...facts, ...change })).join('\n');
  const { pair, at, request, kept, isIt } = firstAccepted(facts);
  const changed = (change: Partial<typeof kept>) => facts.deliveries.map((one) => (one === kept ? { ...kept, ...change } : one));
  const planted: readonly (readonly [what: string, said: string, expected: string | RegExp | readonly string[]])[] = [
    [
      'a lost message, which leaves its receipt and charge unmatched',
      judge({ arrived: facts.arrived.filter((one) => !isIt(one)) }),
      [`Lost: ${pair}.`, `1 receipts but 0 requests of ok: ${pair}.`, `Charged 1 times instead of 0: ${pair}.`],
    ],
    ['a duplicate charge', judge({ charged: [...facts.charged, kept.deliveryId] }), `Charged 2 times instead of 1: ${pair}.`],
    [
      'a missing charge',
      judge({ charged: facts.charged.filter((id) => id !== kept.deliveryId) }),
      `Charged 0 times instead of 1: ${pair}.`,
    ],
    ['a charge without a delivery', judge({ charged: [...facts.charged, 'dlv_none'] }), 'Charged without a delivery: dlv_none.'],
    [
      'a wrong signature',
      judge({ arrived: facts.arrived.with(at, { ...request, fault: 'No matching signature found' }) }),
      [`Not verified (No matching signature found): ${pair}.`],
    ],
    [
      'a different body under a known id',
      judge({ arrived: [...facts.arrived, { ...request, digest: 'another' }], underWayAtKills: 1_000 }),
      `Different body under the same id: ${pair}.`,
    ],
    ['a leftover claim', judge({ deliveries: changed({ isClaimed: true }) }), `Still claimed: ${pair}.`],
    ['a leftover delivery', judge({ deliveries: changed({ status: 'waiting' }) }), `Not delivered, waiting: ${pair}.`],
    ['a leftover queue', judge({ restless: ['we_one'] }), 'The queue of we_one is woken, but nothing is pending.'],
    ['an attempt without a receipt', judge({ deliveries: changed({ attempts: kept.attempts + 1 }) }), /^.*attempts are counted but/],
    [
      'more repeats and requests without receipts than the kills explain',
      judge({ arrived: [...facts.arrived, request], underWayAtKills: 0 }),
      /requests have no receipt[^]*were repeated/,
    ],
  ];
  for (const [what, said, expected] of planted)
    report.check(isSaid(said, expected), `The judge missed ${what}: ${said === '' ? 'it found nothing' : said}`);
  report.figure('planted faults', planted.length);
}

/** A text must match completely, a list partially. */
function isSaid(said: string, expected: string | RegExp | readonly string[]): boolean {
  if (typeof expected === 'string') return said === expected;
  return expected instanceof RegExp ? expected.test(said) : expected.every((sentence) => said.split('\n').includes(sentence));
}

function firstAccepted(facts: DeliveryFacts) {
  const [messageId, endpointId] = facts.wanted[0] ?? ['', ''];
  const isIt = (of: { readonly messageId: string; readonly endpointId: string }): boolean =>
    of.messageId === messageId && of.endpointId === endpointId;
  const at = facts.arrived.findIndex((request) => isIt(request) && request.outcome === 'ok');
  const [request, kept] = [facts.arrived[at], facts.deliveries.find(isIt)];
  if (request === undefined || kept === undefined) throw new Error('The first message was not accepted.');
  return { at, request, kept, pair: `${messageId} at ${endpointId}`, isIt };
}

const FAULT_SHARE = 0.3;
const REPEATS_SHARE_MAX = 0.01;
const SHOWN_MAX = 10;
const SECOND_MS = 1_000;

const LONG = { tenants: 10, endpoints: 2, messages: 10_000, batchMs: 400, restMs: 900_000 };
const SHORT = { tenants: 3, endpoints: 2, messages: 200, batchMs: 0, restMs: 90_000 };

export const webhookSuite: Suite = {
  id: 'webhooks',
  claim: 'every message reaches every endpoint, signed, recorded and charged once, although receivers fail and workers are killed',
  budget: { default: 20, counts: 'kills' },
  short: { seed: 20_261_125, budget: 2 },
  run: verifyWebhooks,
};

async function verifyWebhooks(context: SuiteContext): Promise<void> {
  const { closer, budget: kills, isShort, random, report, say } = context;
  const form = isShort ? SHORT : LONG;
  const stores = await openPrivateStores(closer, 'account', 'webhook');
  const receivers = await openReceivers(closer, FAULT_SHARE, random);
  const system = await openDeliverySystem(closer, { stores, receivers, ...form, worker: 'verify-hurried-deliveries' });
  const pool = openPool(closer, stores.postgresUrl('webhook'));
  const ledger = openPool(closer, stores.postgresUrl('account'));
  const scene: DisturbScene = {
    ...{ stores, pool, receivers, system, kills, restartsStores: !isShort },
    messages: context.messages ?? form.messages,
    batchMs: form.batchMs,
  };
  say(`${system.endpoints.length} endpoints are live`);
  const [startedMs, sinceMs] = [performance.now(), Date.now()];
  const reported = await disturbDeliveries(scene, context);
  const settled = (): Promise<boolean> => comesTrue(async () => (await countOpen(pool)) === 0, { limitMs: form.restMs, everyMs: 100 });
  await settled();
  say('endpoints that answered 410 are enabled and recover');
  report.fail(...(await recoverGone(scene, reported.gone, sinceMs)));
  await settled();
  const exhausted = await recoverExhausted(scene, sinceMs);
  if (exhausted > 0) await settled();
  report.figure('endpoints recovered', `${reported.gone.length} that had answered 410, ${exhausted} with exhausted messages`);
  const seconds = Math.round((performance.now() - startedMs) / SECOND_MS);
  for (const worker of system.workers) await worker.stop();
  const facts: DeliveryFacts = {
    ...(await readStored(pool)),
    wanted: await wantedOf(scene, reported),
    arrived: receivers.arrived,
    charged: await readCharged(ledger),
    underWayAtKills: reported.underWayAtKills,
  };
  const judged = judgeDeliveries(facts);
  report.fail(...firstOf(faultsOf(judged), SHOWN_MAX));
  report.fail(...(await auditLedger(ledger)).faults);
  if (!isShort) report.fail(...(await unreleasedHolds(ledger)));
  reportOn(context, { facts, judged, receivers, isShort, seconds });
  if (faultsOf(judged).length === 0) plantFaults(facts, report);
}

async function wantedOf({ pool, system: { endpoints } }: DisturbScene, { occasions }: Reported): Promise<[string, string][]> {
  const ids = await readMessageIds(pool);
  return occasions.flatMap(({ occasion, tenantId }) =>
    endpoints
      .filter((endpoint) => endpoint.tenantId === tenantId)
      .map(({ endpointId }): [string, string] => [ids.get(occasion) ?? occasion, endpointId]),
  );
}

interface Found {
  readonly facts: DeliveryFacts;
  readonly judged: Judgement;
  readonly receivers: Receivers;
  readonly isShort: boolean;
  readonly seconds: number;
}

function reportOn({ report, budget }: SuiteContext, { facts, judged, receivers, isShort, seconds }: Found): void {
  const { wanted, deliveries, attempts, arrived, charged } = facts;
  const total = deliveries.length;
  report.check(isShort || judged.repeats <= REPEATS_SHARE_MAX * total, `${judged.repeats} of ${total} deliveries were repeated.`);
  const failed = arrived.filter(({ outcome }) => outcome !== 'ok').length;
  report.check(failed > 0, 'No request was refused, so nothing was verified.');
  const byNewest = receivers.arrived.filter(({ isOfNewest, fault }) => isOfNewest && fault === '').length;
  const share = (part: number): string => `${((100 * part) / arrived.length).toFixed(1)} %`;
  report.figure(
    'messages',
    `${new Set(wanted.map(([messageId]) => messageId)).size} to ${new Set(wanted.map(([, endpoint]) => endpoint)).size} endpoints`,
  );
  report.figure('deliveries', `${total}, ${judged.lost.length} lost, ${judged.repeats} repeated; in ${seconds} s`);
  report.figure('requests', `${arrived.length}, ${failed} failed (${share(failed)}), ${arrived.length - byNewest} by the old secret only`);
  report.figure(
    'receipts',
    `${attempts.length}, ${judged.unrecorded} requests without one; at most ${facts.underWayAtKills} were in flight at ${budget} kills`,
  );
  report.figure('charges', charged.length);
}
