import { plans, priceOf, WORKLOAD_FAMILIES } from '@market-state/pricing';
import { DOCS, type Page } from '../site/page';
import { code, table, operationPath } from './text';

type Plan = (typeof plans)[number];

const GROUP = 'Reference';
const FOLDER = `${DOCS}/reference/plans`;

/** A page for each plan, and an overview with the cost of each family of calls. */
export function planPages(): Page[] {
  const rows = plans.map((plan) => [
    `[${code(plan.planId)}](${pathOf(plan)})`,
    plan.tier ?? 'not sold',
    priceOfPlan(plan),
    creditsOf(plan, 'market_state'),
    creditsOf(plan, 'export'),
  ]);
  const prices = WORKLOAD_FAMILIES.map((family) => {
    const { credit, base, unit, unitSize, rounding } = priceOf(family);
    const each =
      unit === null ? '' : `, plus 1 per ${unitSize.toLocaleString('en')} ${unit}, rounded ${rounding === 'floor' ? 'down' : 'up'}`;
    return [code(family), `${base}${each}`, credit === 'export' ? 'export credits' : 'credits'];
  });
  const markdown = [
    '# Plans and prices',
    table(['Plan', 'Tier', 'Price', 'Credits', 'Export credits'], rows),
    '## Prices of calls',
    `Every operation's page names its family. [Credits and quotes](${DOCS}/guides/credits) explains how to limit the cost before a call. Programs can read all of this, and the price of each operation, from [the price list](${operationPath('listPrices')}), without a key.`,
    table(['Family', 'Price', 'Kind'], prices),
  ].join('\n\n');
  return [
    {
      path: FOLDER,
      title: 'Plans and prices',
      description: 'Every plan with its limits, and the price of each kind of call.',
      group: GROUP,
      source: null,
      markdown,
    },
    ...plans.map((plan) => ({
      path: pathOf(plan),
      title: `Plan ${plan.planId}`,
      description: `Price and limits of the plan ${plan.planId}.`,
      group: GROUP,
      source: null,
      unlisted: true,
      markdown: [`# ${plan.planId}`, table(['', ''], limitRows(plan))].join('\n\n'),
    })),
  ];
}

function pathOf({ planId }: Plan): string {
  return `${FOLDER}/${planId.replaceAll('_', '-')}`;
}

function priceOfPlan({ priceCents, tier }: Plan): string {
  if (priceCents === null) return tier === null ? 'none' : 'by contract';
  return `$${(priceCents.month / 100).toLocaleString('en')} per month, $${(priceCents.year / 100).toLocaleString('en')} per year`;
}

function creditsOf({ credits, days }: Plan, kind: 'market_state' | 'export'): string {
  if (credits === null) return 'by contract';
  return `${credits[kind].toLocaleString('en')}${days === null ? '' : `, for ${days} days`}`;
}

function limitRows(plan: Plan): string[][] {
  const { limits, rate, flatCost } = plan;
  const count = (value: number) => value.toLocaleString('en');
  return [
    ['Price', priceOfPlan(plan)],
    ['Credits', creditsOf(plan, 'market_state')],
    ['Export credits', creditsOf(plan, 'export')],
    ...(flatCost === null ? [] : [['Price of every call', `${flatCost} credits`]]),
    ['Calls per second; burst', `${count(rate.perSecond)}; ${count(rate.burst)}`],
    ['Weight of calls in flight', count(limits.inFlightWeight)],
    ['Open streams; replays among them', `${count(limits.streams)}; ${count(limits.replays)}`],
    ['Active keys', count(limits.activeKeys)],
    ['Size of an export', `${count(limits.exportBytesMax / 2 ** 30)} GiB`],
    ['Watchlists and alerts', count(limits.watchlists)],
    ['Webhook endpoints', count(limits.webhookEndpoints)],
    ['Saved searches', count(limits.savedSearches)],
    ['Webhook messages per day about packets and states (alerts are not limited)', count(limits.messagesPerDay)],
  ];
}
