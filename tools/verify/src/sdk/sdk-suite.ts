import { findChromium, withCloser } from '@market-state/testing';
import { type Edge, openEdge } from '../edge/edge';
import { type Market, openMarket } from '../edge/market';
import { needsChromium, type Suite, type SuiteContext } from '../harness';
import { openChromiumHost } from './chromium-host';
import { verifyStreams } from './cut-streams';
import { verifyCalls } from './faulty-calls';
import { openFaultyProxy } from './faulty-proxy';
import { openNodeHost } from './host';
import { verifyWebhooks } from './webhook-vectors';

const FAULTS = 0.05;
const CALLS_A_CUT = 100;
const CALLS_A_WEBHOOK = 10;
const CREDITS = 10_000_000;

const HOSTS = ['node', 'chromium'] as const;
const PARTS = ['webhooks', 'calls', 'streams'] as const;

export const sdkSuite: Suite = {
  id: 'sdk',
  claim:
    `of calls of the SDK with ${FAULTS * 100} % faults, in Node and in Chromium, each is answered or refused in words, charges equal receipts, ` +
    'and cut streams lose and repeat nothing',
  budget: { default: 10_000, counts: `calls; one stream is cut for every ${CALLS_A_CUT}, one webhook judged for every ${CALLS_A_WEBHOOK}` },
  short: { seed: 20_271_122, budget: 100 },
  needs: [needsChromium],
  run: async (context) => verifySdk(context, await openMarket(context.closer)),
};

/** The SDK against a gateway, with a proxy between them that disturbs what passes; `only` names hosts, parts or both. */
async function verifySdk(context: SuiteContext, market: Market): Promise<void> {
  const { closer, report, random, only } = context;
  const wanted = only?.split(',') ?? [];
  const unknown = wanted.filter((name) => ![...HOSTS, ...PARTS].some((part) => part === name));
  report.check(unknown.length === 0, `The parts are ${[...HOSTS, ...PARTS].join(', ')}.`);
  const hosts = chosenOf(HOSTS, wanted).filter((host) => host !== 'chromium' || findChromium() !== null);
  report.check(hosts.length === chosenOf(HOSTS, wanted).length, 'There is no Chromium on this machine.');
  const edge = await openEdge(closer, market, { gateways: 1, random });
  await edge.ready();
  const parts = chosenOf(PARTS, wanted);
  for (const host of hosts) await withCloser((own) => verifyIn(host, parts, { ...context, closer: own }, edge));
}

/** Those that are wanted; all of them where none is. */
function chosenOf<Name extends string>(names: readonly Name[], wanted: readonly string[]): readonly Name[] {
  const chosen = names.filter((name) => wanted.includes(name));
  return chosen.length === 0 ? names : chosen;
}

async function verifyIn(
  name: (typeof HOSTS)[number],
  parts: readonly (typeof PARTS)[number][],
  context: SuiteContext,
  { gateways, tenants, pool }: Edge,
): Promise<void> {
  const { closer, report, random, budget } = context;
  const cuts = Math.ceil(budget / CALLS_A_CUT);
  const proxy = await openFaultyProxy(closer, { target: gateways[0]?.url ?? '', random, faults: FAULTS, cuts });
  const host = name === 'node' ? openNodeHost(closer) : await openChromiumHost(closer, proxy.url);
  const caller = await tenants.create({ name: `sdk ${name}`, planId: 'enterprise', marketStateCredits: CREDITS });
  const other = await tenants.create({ name: `sdk ${name} budget`, planId: 'enterprise', marketStateCredits: CREDITS });
  const access = { baseUrl: proxy.url, apiKey: caller.key };
  if (parts.includes('webhooks')) await verifyWebhooks(context, host, Math.ceil(budget / CALLS_A_WEBHOOK));
  if (parts.includes('calls')) await verifyCalls(context, { host, proxy, pool, access, other });
  if (parts.includes('streams')) await verifyStreams(context, { host, proxy, cuts, access });
  report.fail(...host.uncaught().map((text) => `${host.name}: nobody caught ${text}`));
}
