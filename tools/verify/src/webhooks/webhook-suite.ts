import { comesTrue, openPrivateStores } from '@market-state/testing';
import { auditLedger, firstOf, openPool, type Suite, type SuiteContext, unreleasedHolds } from '../harness';
import { openDeliverySystem } from './delivery-system';
import { disturbDeliveries, type DisturbScene, recoverExhausted, recoverGone, type Told } from './disturb-deliveries';
import { type DeliveryFacts, faultsOf, type Judgement, judgeDeliveries } from './judge-deliveries';
import { plantFaults } from './planted-faults';
import { countOpen, readCharged, readKept, readMessageIds } from './read-facts';
import { openReceivers, type Receivers } from './receivers';

const FAULT_SHARE = 0.3;
const REPEATS_SHARE_MAX = 0.01;
const SHOWN_MAX = 10;
const SECOND_MS = 1_000;

const LONG = { tenants: 10, endpoints: 2, messages: 10_000, batchMs: 400, restMs: 900_000 };
const SHORT = { tenants: 3, endpoints: 2, messages: 200, batchMs: 0, restMs: 90_000 };

/** Kills workers while they deliver to receivers that fail, and holds what arrived against what was told, noted and charged. */
export const webhookSuite: Suite = {
  id: 'webhooks',
  claim: 'every message reaches every endpoint, signed, noted and charged once, though receivers fail and workers are killed',
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
  const told = await disturbDeliveries(scene, context);
  const settled = (): Promise<boolean> => comesTrue(async () => (await countOpen(pool)) === 0, { limitMs: form.restMs, everyMs: 100 });
  await settled();
  say('the endpoints that were gone are enabled, and recover');
  report.fail(...(await recoverGone(scene, told.gone, sinceMs)));
  await settled();
  const exhausted = await recoverExhausted(scene, sinceMs);
  if (exhausted > 0) await settled();
  report.figure('endpoints recovered', `${told.gone.length} that were gone, ${exhausted} with messages that were exhausted`);
  const seconds = Math.round((performance.now() - startedMs) / SECOND_MS);
  for (const worker of system.workers) await worker.stop();
  const facts: DeliveryFacts = {
    ...(await readKept(pool)),
    wanted: await wantedOf(scene, told),
    arrived: receivers.arrived,
    charged: await readCharged(ledger),
    underWayAtKills: told.underWayAtKills,
  };
  const judged = judgeDeliveries(facts);
  report.fail(...firstOf(faultsOf(judged), SHOWN_MAX));
  report.fail(...(await auditLedger(ledger)).faults);
  if (!isShort) report.fail(...(await unreleasedHolds(ledger)));
  reportOn(context, { facts, judged, receivers, isShort, seconds });
  if (faultsOf(judged).length === 0) plantFaults(facts, report);
}

async function wantedOf({ pool, system: { endpoints } }: DisturbScene, { occasions }: Told): Promise<[string, string][]> {
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
  report.check(isShort || judged.repeats <= REPEATS_SHARE_MAX * total, `${judged.repeats} of ${total} deliveries were taken again.`);
  const failed = arrived.filter(({ outcome }) => outcome !== 'ok').length;
  report.check(failed > 0, 'No request was refused: nothing was shown.');
  const byNewest = receivers.arrived.filter(({ isOfNewest, fault }) => isOfNewest && fault === '').length;
  const share = (part: number): string => `${((100 * part) / arrived.length).toFixed(1)} %`;
  report.figure(
    'messages',
    `${new Set(wanted.map(([messageId]) => messageId)).size} to ${new Set(wanted.map(([, endpoint]) => endpoint)).size} endpoints`,
  );
  report.figure('deliveries', `${total}, ${judged.lost.length} lost, ${judged.repeats} taken again; in ${seconds} s`);
  report.figure('requests', `${arrived.length}, ${failed} failed (${share(failed)}), ${arrived.length - byNewest} by the old secret alone`);
  report.figure(
    'receipts',
    `${attempts.length}, ${judged.unrecorded} requests without one; ${facts.underWayAtKills} at most were under way at ${budget} kills`,
  );
  report.figure('charges', charged.length);
}
