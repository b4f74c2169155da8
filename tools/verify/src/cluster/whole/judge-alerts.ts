import { webhook } from '@market-state/contracts';
import { createClient } from '@market-state/grpc';
import { withClient } from '@market-state/launcher';
import { episodeFaults } from '../../alerts/differences';
import { alertsByRule, readOutcome } from '../../alerts/outcome';
import { rehearsalDifferences } from '../../alerts/rehearsal';
import { firstOf, type SuiteContext } from '../../harness';
import { cursorOf } from './customers';
import type { WholeRun } from './whole-run';

const DEADLINE_MS = 60_000;
const SHOWN_MAX = 10;

/** Whether the alerts that were told are those of one unbroken pass over the packets: of a rehearsal over the same span. */
export async function judgeAlerts({ report, closer }: SuiteContext, { scene, busy, webhooks }: WholeRun): Promise<void> {
  const { system } = scene;
  const client = createClient({
    definition: webhook.WatchlistServiceService,
    address: `127.0.0.1:${system.processes.portsOf('webhook').grpc}`,
    peer: system.rpc.identityOf('gateway').to('webhook'),
    deadlineMs: DEADLINE_MS,
  });
  closer.add('watchlists', () => client.close());
  const outcome = await readOutcome(webhooks);
  const rehearsed: webhook.RehearsedRule[] = [];
  let packets = 0;
  const { tenantId } = busy.customer;
  for (const [symbol, { sequence, windowEndMs }] of busy.from) {
    const end = await cursorOf(scene, symbol);
    if (end === undefined) throw new Error(`No packet of ${symbol} was looked at.`);
    packets += end.sequence - sequence;
    const watchlistId = await watchlistOf(scene, tenantId, symbol);
    const span = { fromMs: windowEndMs + 1, toMs: end.windowEndMs + 1 };
    rehearsed.push(...(await client.call.rehearse({ tenantId, watchlistId, symbols: [], rules: [], ...span })).rules);
  }
  report.fail(...firstOf(rehearsalDifferences(outcome, rehearsed), SHOWN_MAX), ...firstOf(episodeFaults(outcome), SHOWN_MAX));
  const told = [...alertsByRule(outcome.messages).values()].flat().length;
  report.figure('packets that rules looked at, rules and symbols rehearsed, alerts told', `${packets}, ${rehearsed.length}, ${told}`);
}

async function watchlistOf({ system }: WholeRun['scene'], tenantId: string, name: string): Promise<string> {
  const { rows } = await withClient(system.stores.postgresUrl('webhook'), (client) =>
    client.query<{ id: string }>('SELECT watchlist_id AS id FROM watchlist WHERE tenant_id = $1 AND name = $2', [tenantId, name]),
  );
  if (rows[0] === undefined) throw new Error(`There is no watchlist ${name}.`);
  return rows[0].id;
}
