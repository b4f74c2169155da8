import { randomBytes } from 'node:crypto';
import { createMessage, marketData, webhook } from '@market-state/contracts';
import { bindService, createClient } from '@market-state/grpc';
import { ownInstallation, type Stores } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import { startProcess } from '@market-state/testing';
import { alertsByRule, type Outcome } from './outcome';
import type { WatchedRule } from './rule-set';
import { only, serve } from './served-packets';

const DEADLINE_MS = 60_000;
/** Notices that a rehearsal lists. */
const LISTED_MAX = 1_000;

/** The span that was played: ends of windows, the last exclusive. */
export interface RehearsedSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Asks the service, as it is shipped, to rehearse every watchlist over what the evaluators stored. */
export async function rehearseAll(
  closer: Closer,
  stores: Stores,
  watched: { readonly rules: readonly WatchedRule[]; readonly symbols: readonly string[] },
  span: RehearsedSpan,
): Promise<webhook.RehearsedRule[]> {
  const { MarketDataServiceService: definition } = marketData;
  const instruments = watched.symbols.map((symbol) => createMessage(marketData.Instrument, { symbol }));
  const dataPlane = await serve(
    'data-plane',
    bindService(definition, only(definition, { listInstruments: async () => ({ instruments }) })),
  );
  closer.add('data plane', () => dataPlane.close());
  const service = await startProcess(closer, 'webhook', {
    DATABASE_URL: stores.postgresUrl('webhook'),
    REDIS_URL: stores.redisUrl,
    RPC_TOKEN_FILE: ownInstallation().writeTokenFile('webhook'),
    WEBHOOK_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    // Every packet of the span is stored: labeling has none to add.
    LABELING_ADDRESS: '127.0.0.1:1',
    DATA_PLANE_ADDRESS: dataPlane.address,
  });
  await service.ready();
  const client = createClient({
    definition: webhook.WatchlistServiceService,
    address: service.address,
    peer: ownInstallation().peer('webhook'),
    deadlineMs: DEADLINE_MS,
  });
  closer.add('watchlists', () => client.close());
  const lists = new Map(watched.rules.map(({ watchlistId, tenantId }) => [watchlistId, tenantId]));
  const rehearsed: webhook.RehearsedRule[] = [];
  for (const [watchlistId, tenantId] of lists) {
    const { rules } = await client.call.rehearse({ tenantId, watchlistId, symbols: [], rules: [], ...span });
    rehearsed.push(...rules);
  }
  return rehearsed;
}

/** A sentence for each rule and symbol of which the rehearsal says something else than was told. */
export function rehearsalDifferences({ messages, standings }: Outcome, rehearsed: readonly webhook.RehearsedRule[]): string[] {
  const alerts = alertsByRule(messages);
  const states = new Map(standings.map(({ rule_id: ruleId, symbol, state }) => [`${ruleId} ${symbol}`, stateOf(state)]));
  const names = new Set(rehearsed.map(({ ruleId, symbol }) => `${ruleId} ${symbol}`));
  const differences = [...states.keys()].filter((name) => !names.has(name)).map((name) => `The rehearsal leaves out ${name}.`);
  for (const { ruleId, symbol, triggered, recovered, notices, state } of rehearsed) {
    const name = `${ruleId} ${symbol}`;
    const told = alerts.get(name) ?? [];
    if (triggered + recovered !== told.length)
      differences.push(`${name}: the rehearsal counts ${triggered + recovered} notices, ${told.length} were told.`);
    const said = notices.map((notice) => [notice.phase, notice.windowEndMs, notice.eventId, notice.replayCursor].join(' '));
    const wanted = told.map((alert) => [alert.phase, Date.parse(alert.window_end_utc), alert.event_id, alert.replay_cursor].join(' '));
    if (said.join('\n') !== wanted.slice(0, LISTED_MAX).join('\n')) differences.push(`${name}: the rehearsal lists other notices.`);
    if (state !== states.get(name)) differences.push(`${name}: the rehearsal ends at ${state}, the rule stands at ${states.get(name)}.`);
  }
  return differences;
}

const stateOf = (standing: string): string => `ALERT_STATE_${(JSON.parse(standing) as { state: string }).state.toUpperCase()}`;
