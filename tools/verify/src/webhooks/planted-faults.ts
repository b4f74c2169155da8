import type { Report } from '../harness';
import { type DeliveryFacts, faultsOf, judgeDeliveries } from './judge-deliveries';

/** Plants one fault after the other in facts that have none: the judge must report each. */
export function plantFaults(facts: DeliveryFacts, report: Report): void {
  const judge = (change: Partial<DeliveryFacts>): string => faultsOf(judgeDeliveries({ ...facts, ...change })).join('\n');
  const { pair, at, request, kept, isIt } = firstTaken(facts);
  const changed = (change: Partial<typeof kept>) => facts.deliveries.map((one) => (one === kept ? { ...kept, ...change } : one));
  const planted: readonly (readonly [what: string, said: string, expected: string | RegExp | readonly string[]])[] = [
    [
      'a lost message, whose receipt and charge then stand for nothing',
      judge({ arrived: facts.arrived.filter((one) => !isIt(one)) }),
      [`Lost: ${pair}.`, `1 receipts and 0 requests of ok: ${pair}.`, `Charged 1 times instead of 0: ${pair}.`],
    ],
    ['a doubled charge', judge({ charged: [...facts.charged, kept.deliveryId] }), `Charged 2 times instead of 1: ${pair}.`],
    [
      'a missing charge',
      judge({ charged: facts.charged.filter((id) => id !== kept.deliveryId) }),
      `Charged 0 times instead of 1: ${pair}.`,
    ],
    ['a charge for nothing', judge({ charged: [...facts.charged, 'dlv_none'] }), 'Charged for no delivery: dlv_none.'],
    [
      'a wrong signature',
      judge({ arrived: facts.arrived.with(at, { ...request, fault: 'No matching signature found' }) }),
      [`Not verified (No matching signature found): ${pair}.`],
    ],
    [
      'another body under a known id',
      judge({ arrived: [...facts.arrived, { ...request, digest: 'another' }], underWayAtKills: 1_000 }),
      `Another body under the same id: ${pair}.`,
    ],
    ['a claim that is left', judge({ deliveries: changed({ isClaimed: true }) }), `Still claimed: ${pair}.`],
    ['a delivery that is left', judge({ deliveries: changed({ status: 'waiting' }) }), `Not delivered, waiting: ${pair}.`],
    ['a lane that is left', judge({ restless: ['we_one'] }), 'The lane of we_one is rung, and nothing waits.'],
    ['an attempt without a receipt', judge({ deliveries: changed({ attempts: kept.attempts + 1 }) }), /^.*attempts are counted and/],
    [
      'more repeats and requests without receipts than the kills explain',
      judge({ arrived: [...facts.arrived, request], underWayAtKills: 0 }),
      /requests have no receipt[^]*taken again/,
    ],
  ];
  for (const [what, said, expected] of planted)
    report.check(isSaid(said, expected), `The judge did not report ${what} as it must: ${said === '' ? 'it found nothing' : said}`);
  report.figure('planted faults', planted.length);
}

/** A text must be all that is said, a list is part of it. */
function isSaid(said: string, expected: string | RegExp | readonly string[]): boolean {
  if (typeof expected === 'string') return said === expected;
  return expected instanceof RegExp ? expected.test(said) : expected.every((sentence) => said.split('\n').includes(sentence));
}

/** The first message that was taken, and the request that brought it. */
function firstTaken(facts: DeliveryFacts) {
  const [messageId, endpointId] = facts.wanted[0] ?? ['', ''];
  const isIt = (of: { readonly messageId: string; readonly endpointId: string }): boolean =>
    of.messageId === messageId && of.endpointId === endpointId;
  const at = facts.arrived.findIndex((request) => isIt(request) && request.outcome === 'ok');
  const [request, kept] = [facts.arrived[at], facts.deliveries.find(isIt)];
  if (request === undefined || kept === undefined) throw new Error('The first message was not taken.');
  return { at, request, kept, pair: `${messageId} at ${endpointId}`, isIt };
}
