import { waitUntil } from '@market-state/testing';
import type { SuiteContext } from '../harness';
import type { McpScene } from './scene';

const STALE_MS_MAX = 120_000;
const FRESH_MS_MAX = 120_000;
const SYMBOL = 'BTCUSD-PERP';

/** Freezes the feed: every tool that tells of now must say that nothing may be acted on, and no longer once the feed is back. */
export async function verifyStaleFeed({ report }: SuiteContext, { system, agents }: McpScene): Promise<void> {
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
