import { isUsable, MarketState } from '@market-state/client';
import type { Closer } from '@market-state/lifecycle';
import {
  accountAddressOf,
  ALL_SCOPES,
  keyOfNewTenant,
  openTenants,
  startSystem,
  waitUntil,
  type ToolAnswer,
  type Agent,
  type Era,
  ERAS,
  openHttpAgent,
  openStdioAgent,
  type System,
} from '@market-state/testing';
import type { Suite, SuiteContext } from './harness';

const CEILING = 50;
const CALLS = 200;
const HOUR_S = 3_600;

/**
 * 200 concurrent calls under a ceiling of 50: per process over stdio, per key over HTTP, in both eras. The plan's rate
 * allows them all, so that the ceiling refuses them.
 */
async function verifyCeilings({ closer, report, say }: SuiteContext, { system }: McpScene): Promise<void> {
  const tenants = openTenants(closer, accountAddressOf(system), system.rpc.identityOf('operator'));
  const { key } = await tenants.create({ planId: 'enterprise', marketStateCredits: Number(CREDITS), scopes: ALL_SCOPES });
  const ms = new MarketState({ baseUrl: system.url, apiKey: key });
  for (const era of ERAS)
    for (const transport of ['http', 'stdio'] as const) {
      const limits = transport === 'http' ? { credit_ceiling: { credits: CEILING, window_seconds: HOUR_S } } : {};
      const { data: made } = await ms.keys.create({ name: `agent ${transport}`, scopes: ['read'], ...limits });
      const agent =
        transport === 'http'
          ? await openHttpAgent(system.url, made.key, era)
          : await openStdioAgent(system.url, made.key, era, ['--max-credits', String(CEILING)]);
      try {
        const { charged, answered } = await callAtOnce(agent);
        const ledger = (await ms.usage.get({ key_id: made.record.key_id, limit: 1 })).data.spend_by_key;
        const spent = ledger.reduce((sum, { market_state_credits: credits }) => sum + credits, 0);
        report.check(
          charged <= CEILING,
          `Over ${transport}, ${era}, ${CALLS} calls were charged ${charged} under a ceiling of ${CEILING}.`,
        );
        report.check(spent === charged, `Over ${transport}, ${era}, the ledger has ${spent} credits but the answers state ${charged}.`);
        report.check(
          answered === CEILING || (transport === 'http' && answered > 0),
          `Over ${transport}, ${era}, ${answered} of ${CALLS} calls were answered under a ceiling of ${CEILING}.`,
        );
        const refused = await lastRefusal(agent);
        report.check(
          refused,
          `Over ${transport}, ${era}, a call beyond the ceiling was not refused free of charge with the free calls listed.`,
        );
        say(`${transport}, ${era}: ${charged} of ${CEILING} credits for ${answered} of ${CALLS} calls answered`);
        report.figure(`credits of ${CALLS} concurrent calls, ${transport}, ${era}`, charged);
      } finally {
        await agent.close();
      }
    }
}

async function callAtOnce(agent: Agent): Promise<{ readonly charged: number; readonly answered: number }> {
  const all = await Promise.allSettled(Array.from({ length: CALLS }, () => agent.call('explain_packet', { symbol: SYMBOL })));
  const answers = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const charged = answers.reduce((sum, { cost }) => sum + cost.charged, 0);
  return { charged, answered: answers.filter(({ isError }) => !isError).length };
}

/** Calls until the ceiling is used up. Returns true if the refusal is free and recommends a call that succeeds. */
async function lastRefusal(agent: Agent): Promise<boolean> {
  for (let calls = 0; calls <= CEILING; calls += 1) {
    const { isError, cost, body } = await agent.call('explain_packet', { symbol: SYMBOL });
    if (!isError) continue;
    const { cheaper } = body['error'] as { readonly cheaper?: { readonly tool: string; readonly arguments: object } };
    if (cost.charged !== 0 || cheaper === undefined) return false;
    return !(await agent.call(cheaper.tool, { ...cheaper.arguments })).isError;
  }
  return false;
}

interface McpScene {
  readonly system: System;
  readonly key: string;
  readonly ms: MarketState;
  readonly agents: readonly OpenAgent[];
}

interface OpenAgent {
  readonly transport: 'http' | 'stdio';
  readonly era: Era;
  readonly agent: Agent;
  readonly name: string;
}

const CREDITS = '100000';

async function openEveryAgent(closer: Closer, url: string, key: string): Promise<readonly OpenAgent[]> {
  const opened: OpenAgent[] = [];
  for (const era of ERAS)
    for (const transport of ['http', 'stdio'] as const) {
      const agent =
        transport === 'http' ? await openHttpAgent(url, key, era) : await openStdioAgent(url, key, era, ['--max-credits', CREDITS]);
      closer.add(`${transport} agent`, () => agent.close());
      opened.push({ transport, era, agent, name: `${transport}, ${agent.revision}` });
    }
  return opened;
}

const SYMBOLS = ['BTCUSD-PERP', 'ETHUSD-PERP', 'SIMUSD-PERP'];
const LARGEST = 4;
const PAGE = 100;
const BYTES_MAX = { concise: 2_000, full: 24_000, resource: 32_000 } as const;

type Detail = 'concise' | 'full';

/**
 * Calls every tool that reads a packet, on each symbol's largest packets, with every agent: checks bounds, schemas and
 * charges.
 */
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
        report.check(isCountedWhereCut(answer), `${tool} over ${name} omitted something without a count or without a follow-up call.`);
      }
      const { contents } = await agent.client.readResource({ uri: `market-state://packet/${id}/all` });
      const bytes = Buffer.byteLength((contents[0] as { readonly text: string }).text);
      most['resource'] = Math.max(most['resource'] ?? 0, bytes);
      report.check(bytes <= BYTES_MAX.resource, `The resource of ${id} has ${bytes} bytes.`);
    }
  }
  report.check(charged === receipted, `Answers state ${charged} credits, but their receipts ${receipted}.`);
  report.figure('tool calls on the largest packets', calls);
  report.figure('of them truncated, with a count', cut);
  for (const [of, bytes] of Object.entries(most)) report.figure(`most bytes, ${of}`, bytes);
  report.figure('credits charged, and on receipts', `${charged}, ${receipted}`);
}

/** One service call each, so that its receipt is the whole charge. */
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

/** Stops the feed: every tool about current data must fail closed, and recover once the feed is back. */
async function verifyStaleFeed({ report }: SuiteContext, { system, agents }: McpScene): Promise<void> {
  const startedMs = Date.now();
  system.processes.signal('data-plane-feed', 'SIGSTOP');
  try {
    for (const { agent, name } of agents)
      for (const [tool, args] of [
        ['overview', {}],
        ['explain_packet', { symbol: SYMBOL }],
        ['read_rows', { symbol: SYMBOL, channel: 'book' }],
        ['data_quality', { symbol: SYMBOL }],
      ] as const) {
        const failsClosed = async () => (await agent.call(tool, args)).body['fail_closed'] === true;
        await waitUntil(`${tool} over ${name} fails closed while the feed is stopped`, failsClosed, STALE_MS_MAX);
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

/** All callers, and the MCP server, have one address here. */
const SETTINGS = { FEED_HISTORY_MINUTES: '65', CONNECTIONS_PER_ADDRESS: '1000' };

export const mcpSuite: Suite = {
  id: 'mcp',
  claim:
    'agents are answered over stdio and HTTP in both eras of the protocol, validly and within bounds on the largest real packets; ' +
    '200 concurrent calls spend no more than the ceiling, charges match receipts, and a stale feed fails closed',
  budget: { default: 1_000, counts: 'packets of each symbol to search for the largest' },
  short: { seed: 1, budget: 100 },
  async run(context: SuiteContext) {
    const { closer } = context;
    const system = await startSystem({ settings: SETTINGS });
    closer.add('system', () => system.stop());
    const key = await keyOfNewTenant(system);
    const ms = new MarketState({ baseUrl: system.url, apiKey: key });
    const scene: McpScene = { system, key, ms, agents: await openEveryAgent(closer, system.url, key) };
    const isFresh = async (): Promise<boolean> => isUsable((await ms.latest.get({ symbol: 'SIMUSD-PERP' })).data);
    await waitUntil('a usable packet of SIMUSD-PERP', isFresh, FRESH_MS_MAX);
    await verifyLargestPackets(context, scene);
    await verifyCeilings(context, scene);
    await verifyStaleFeed(context, scene);
  },
};
