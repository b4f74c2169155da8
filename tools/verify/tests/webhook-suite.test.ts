import { type DeliveryFacts, faultsOf, judgeDeliveries } from '../src/webhooks/judge-deliveries';
import { verifyWebhooks } from '../src/webhooks/webhook-suite';
import { expectPassed } from './expect-passed';

let facts: DeliveryFacts;

it('delivers, signs, notes and charges every message once, while workers are killed and receivers fail', async () => {
  const run = async (context: Parameters<typeof verifyWebhooks>[0]): Promise<void> => {
    facts = await verifyWebhooks(context);
  };
  const { figures } = await expectPassed({ run }, { seed: 20_261_125, budget: 2 });
  console.info(figures.map((figure) => figure.join(': ')).join('\n'));
});

const faults = (change: Partial<DeliveryFacts>): string[] => faultsOf(judgeDeliveries({ ...facts, ...change }));

/** The first message that was taken, and the request that brought it. */
function firstTaken() {
  const [messageId, endpointId] = facts.wanted[0] ?? ['', ''];
  const isIt = (of: { readonly messageId: string; readonly endpointId: string }): boolean =>
    of.messageId === messageId && of.endpointId === endpointId;
  const at = facts.arrived.findIndex((request) => isIt(request) && request.outcome === 'ok');
  const [request, kept] = [facts.arrived[at], facts.deliveries.find(isIt)];
  if (request === undefined || kept === undefined) throw new Error('The first message was not taken.');
  return { at, request, kept, pair: `${messageId} at ${endpointId}`, isIt };
}

it('notices a message that was lost, whose receipt and charge then stand for nothing', () => {
  const { pair, isIt } = firstTaken();
  const lost = faults({ arrived: facts.arrived.filter((request) => !isIt(request)) });
  expect(lost).toContain(`Lost: ${pair}.`);
  expect(lost).toContain(`1 receipts and 0 requests of ok: ${pair}.`);
  expect(lost).toContain(`Charged 1 times instead of 0: ${pair}.`);
});

it('notices charges that are doubled, missing, or of nothing', () => {
  const { pair, kept } = firstTaken();
  expect(faults({ charged: [...facts.charged, kept.deliveryId] })).toEqual([`Charged 2 times instead of 1: ${pair}.`]);
  expect(faults({ charged: facts.charged.filter((id) => id !== kept.deliveryId) })).toEqual([`Charged 0 times instead of 1: ${pair}.`]);
  expect(faults({ charged: [...facts.charged, 'dlv_none'] })).toEqual(['Charged for no delivery: dlv_none.']);
});

it('notices a signature that does not hold, and another body under a known id', () => {
  const { pair, at, request } = firstTaken();
  const wrong = faults({ arrived: facts.arrived.with(at, { ...request, fault: 'No matching signature found' }) });
  expect(wrong).toContain(`Not verified (No matching signature found): ${pair}.`);
  const again = { ...request, digest: 'another' };
  expect(faults({ arrived: [...facts.arrived, again], underWayAtKills: 1_000 })).toEqual([`Another body under the same id: ${pair}.`]);
});

it('notices claims, lanes and deliveries that are left, and attempts without receipts', () => {
  const { pair, kept } = firstTaken();
  const other = (change: Partial<typeof kept>) => facts.deliveries.map((one) => (one === kept ? { ...kept, ...change } : one));
  expect(faults({ deliveries: other({ isClaimed: true }) })).toEqual([`Still claimed: ${pair}.`]);
  expect(faults({ deliveries: other({ status: 'waiting' }) })).toEqual([`Not delivered, waiting: ${pair}.`]);
  expect(faults({ restless: ['we_one'] })).toEqual(['The lane of we_one is rung, and nothing waits.']);
  expect(faults({ deliveries: other({ attempts: kept.attempts + 1 }) })[0]).toMatch(/attempts are counted and/);
});

it('notices more repeats and unnoted requests than the kills explain', () => {
  const { request } = firstTaken();
  expect(faults({ arrived: [...facts.arrived, request], underWayAtKills: 0 }).join(' ')).toMatch(/requests have no receipt.*taken again/);
});
