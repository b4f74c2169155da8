import { isUsable, MarketState } from '@market-state/client';
import { keyOfNewTenant, startSystem } from '@market-state/testing';
import type { Suite, SuiteContext } from '../harness';
import { openEveryAgent } from './agents';
import { verifyCeilings } from './ceilings';
import { verifyLargestPackets } from './largest-packets';
import type { McpScene } from './scene';
import { verifyStaleFeed } from './stale-feed';

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
