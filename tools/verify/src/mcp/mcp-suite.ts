import { isUsable, MarketState } from '@market-state/client';
import { keyOfNewTenant, startSystem, waitUntil, type ToolAnswer } from '@market-state/testing';
import type { Suite, SuiteContext } from '../harness';
import { openEveryAgent } from './agents';
import { verifyCeilings } from './ceilings';
import type { McpScene } from './scene';

const SYMBOLS = ['BTCUSD-PERP', 'ETHUSD-PERP', 'SIMUSD-PERP'];
/** Packets of each symbol that are looked at. */
const LARGEST = 4;
const PAGE = 100;
const BYTES_MAX = { concise: 2_000, full: 24_000, resource: 32_000 } as const;

type Detail = 'concise' | 'full';

/** Every tool that reads a packet, on the largest of each symbol, by every agent in turn: bounds, schemas and charges. */
async function verifyLargestPackets({ report, say, budget }: SuiteContext, { ms, agents }: McpScene): Promise<void> {
  const most: Record<string, number> = { concise: 0, full: 0, resource: 0 };
  let [charged, receipted, calls, cut] = [0, 0, 0, 0];
  for (const symbol of SYMBOLS) {
    const packets = await ms.replay.rows({ symbol, limit: PAGE, replay_window_seconds: 3_600 }).take(budget);
    const sized = packets.map((row) => ({ id: row.event_id, bytes: Buffer.byteLength(JSON.stringify(row)) }));
    const largest = sized.sort((a, b) => b.bytes - a.bytes).slice(0, LARGEST);
    say(`${symbol}: ${sized.length} packets, the largest has ${largest[0]?.bytes ?? 0} bytes`);
    for (const [at, { id }] of largest.entries()) {
      const { agent, name } = agents[at % agents.length] ?? (agents[0] as (typeof agents)[number]);
      for (const [tool, args] of callsOn(symbol, id)) {
        const answer = await agent.call(tool, args);
        calls += 1;
        charged += answer.cost.charged;
        receipted += await creditsOf(ms, answer);
        const detail: Detail = args['detail'] === 'full' ? 'full' : 'concise';
        most[detail] = Math.max(most[detail] ?? 0, answer.bytes);
        report.check(!answer.isError, `${tool} over ${name} failed: ${JSON.stringify(answer.body).slice(0, 300)}`);
        report.check(answer.bytes <= BYTES_MAX[detail], `${tool} over ${name} answered ${answer.bytes} bytes, ${detail}.`);
        if (answer.body['truncated'] === true) cut += 1;
        report.check(isCountedWhereCut(answer), `${tool} over ${name} left something out without a count or without a call that goes on.`);
      }
      const { contents } = await agent.client.readResource({ uri: `market-state://packet/${id}/all` });
      const bytes = Buffer.byteLength((contents[0] as { readonly text: string }).text);
      most['resource'] = Math.max(most['resource'] ?? 0, bytes);
      report.check(bytes <= BYTES_MAX.resource, `The resource of ${id} has ${bytes} bytes.`);
    }
  }
  report.check(charged === receipted, `Answers say ${charged} credits, their receipts ${receipted}.`);
  report.figure('calls of tools on the largest packets', calls);
  report.figure('of them cut, with a count', cut);
  for (const [of, bytes] of Object.entries(most)) report.figure(`most bytes, ${of}`, bytes);
  report.figure('credits charged, and on receipts', `${charged}, ${receipted}`);
}

/** One call of the service each, so that its receipt is the whole charge. */
function callsOn(symbol: string, id: string): readonly (readonly [string, Readonly<Record<string, unknown>>])[] {
  return [
    ['explain_packet', { event_id: id }],
    ['explain_packet', { event_id: id, detail: 'full' }],
    ['search_events', { symbol, limit: 100, detail: 'full' }],
    ['state_history', { symbol, limit: 300 }],
    ['state_history', { symbol, limit: 300, detail: 'full' }],
    ['read_rows', { symbol, channel: 'trades', limit: 1_000, detail: 'full' }],
    ['read_rows', { symbol, channel: 'book', limit: 1_000, detail: 'full' }],
    ['overview', {}],
    ['label_stability', { symbol, detail: 'full' }],
    ['verify_packet', { event_id: id }],
  ];
}

async function creditsOf(ms: McpScene['ms'], { cost }: ToolAnswer): Promise<number> {
  if (cost.receipt_id === null) return 0;
  return (await ms.usage.receipt({ receipt_id: cost.receipt_id })).data.observed_market_state_credit_cost;
}

function isCountedWhereCut({ body }: ToolAnswer): boolean {
  if (body['truncated'] !== true) return true;
  const omitted = Object.values((body['omitted'] ?? {}) as Readonly<Record<string, number>>);
  return omitted.length > 0 && omitted.every((count) => count > 0) && typeof body['next'] === 'object';
}

const STALE_MS_MAX = 120_000;
const FRESH_MS_MAX = 120_000;
const SYMBOL = 'BTCUSD-PERP';

/** Freezes the feed: every tool that tells of now must say that nothing may be acted on, and no longer once the feed is back. */
async function verifyStaleFeed({ report }: SuiteContext, { system, agents }: McpScene): Promise<void> {
  const startedMs = Date.now();
  system.processes.signal('data-plane-feed', 'SIGSTOP');
  try {
    for (const { agent, name } of agents) {
      await waitUntil(`${name} fails closed`, async () => (await agent.call('overview', {})).body['fail_closed'] === true, STALE_MS_MAX);
      for (const [tool, args] of [
        ['explain_packet', { symbol: SYMBOL }],
        ['read_rows', { symbol: SYMBOL, channel: 'book' }],
        ['data_quality', { symbol: SYMBOL }],
      ] as const) {
        const { body } = await agent.call(tool, args);
        report.check(body['fail_closed'] === true, `${tool} over ${name} does not fail closed while the feed stands still.`);
      }
    }
    report.figure('seconds until all failed closed', Math.round((Date.now() - startedMs) / 1_000));
  } finally {
    system.processes.signal('data-plane-feed', 'SIGCONT');
  }
  const [first] = agents;
  await waitUntil(
    'the feed is fresh again',
    async () => (await first?.agent.call('explain_packet', { symbol: SYMBOL }))?.body['fail_closed'] === false,
    FRESH_MS_MAX,
  );
}

const HISTORY_MINUTES = '65';

/** Agents before the started product, over both transports and in both eras of the protocol. */
export const mcpSuite: Suite = {
  id: 'mcp',
  claim:
    'agents are answered over stdio and HTTP in both eras of the protocol, validly and within their bounds on the largest real packets; ' +
    '200 calls at once spend no more than the ceiling, and what is charged is what the receipts say; a stale feed fails closed',
  budget: { default: 1_000, counts: 'packets of each symbol among which the largest are looked for' },
  short: { seed: 1, budget: 100 },
  async run(context: SuiteContext) {
    const { closer, report } = context;
    const system = await startSystem({ settings: { FEED_HISTORY_MINUTES: HISTORY_MINUTES } });
    closer.add('system', () => system.stop());
    const key = await keyOfNewTenant(system);
    const ms = new MarketState({ baseUrl: system.url, apiKey: key });
    const scene: McpScene = { system, key, ms, agents: await openEveryAgent(closer, system.url, key) };
    report.check(isUsable((await ms.latest.get({ symbol: 'SIMUSD-PERP' })).data), 'The feed was stale before anything was done to it.');
    await verifyLargestPackets(context, scene);
    await verifyCeilings(context, scene);
    await verifyStaleFeed(context, scene);
  },
};
