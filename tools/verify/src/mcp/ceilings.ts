import { type Agent, ERAS, openHttpAgent, openStdioAgent } from '@market-state/testing';
import type { SuiteContext } from '../harness';
import type { McpScene } from './scene';

const CEILING = 50;
const CALLS = 200;
const SYMBOL = 'BTCUSD-PERP';
const HOUR_S = 3_600;

/** 200 calls at once under a ceiling of 50: of the process over stdio, of the key over HTTP, in both eras. */
export async function verifyCeilings({ report, say }: SuiteContext, { system, ms }: McpScene): Promise<void> {
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
        report.check(spent === charged, `Over ${transport}, ${era}, the ledger has ${spent} credits and answers say ${charged}.`);
        const refused = await lastRefusal(agent);
        report.check(refused, `Over ${transport}, ${era}, a call beyond the ceiling was not refused for nothing with what is free.`);
        say(`${transport}, ${era}: ${charged} of ${CEILING} credits for ${answered} answers of ${CALLS}`);
        report.figure(`credits of ${CALLS} calls at once, ${transport}, ${era}`, charged);
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

/** Calls until nothing is left: whether the refusal costs nothing and recommends a call that is answered. */
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
