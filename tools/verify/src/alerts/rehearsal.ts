import { randomBytes } from 'node:crypto';
import { createMessage, marketData, webhook, labeling } from '@market-state/contracts';
import { failedPrecondition } from '@market-state/errors';
import { bindService, createClient, type BoundService, createHealth, startGrpcServer } from '@market-state/grpc';
import { ownInstallation, type Stores, freePort } from '@market-state/launcher';
import { type Closer, delay } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import { startProcess, testServing } from '@market-state/testing';
import { alertsByRule, type Outcome } from './outcome';
import type { WatchedRule } from './rule-set';

const HEARTBEAT_MS = 50;
/** One list in ten starts with a packet that was already listed. */
const AGAIN_EVERY = 10;

const refuse = (): Promise<never> => Promise.reject(failedPrecondition('internal', 'Not available here.'));

/** Handlers that refuse every call except the given ones. */
export function only<Definition extends object>(definition: Definition, handlers: object): never {
  return { ...Object.fromEntries(Object.keys(definition).map((name) => [name, refuse])), ...handlers } as never;
}

export async function serve(
  name: Parameters<typeof testServing>[0],
  service: BoundService,
  address = '127.0.0.1:0',
): Promise<{ readonly address: string; close(): Promise<void> }> {
  const shared = { health: createHealth(), logger: silentLogger(), shutdownWaitMs: 0 };
  return startGrpcServer({ ...testServing(name), ...shared, address, services: [service] });
}

export interface ServedPackets {
  readonly address: string;
  restart(): Promise<void>;
}

interface PacketSource {
  readonly published: readonly labeling.PacketRecord[];
  readonly random?: (() => number) | undefined;
  readonly onRequest: () => void;
}

export async function servePackets(closer: Closer, { published, random, onRequest }: PacketSource): Promise<ServedPackets> {
  let opened = new AbortController();
  const bound = () =>
    bindService(
      labeling.LabelingServiceService,
      only(labeling.LabelingServiceService, {
        async listPackets({ symbol, fromWindowEndMs, toWindowEndMs, descending, pageSize }: labeling.ListPacketsRequest) {
          onRequest();
          const ofSymbol = published.filter((packet) => packet.symbol === symbol);
          const found = ofSymbol.filter(
            ({ windowEndMs }) => windowEndMs >= fromWindowEndMs && (toWindowEndMs === 0 || windowEndMs < toWindowEndMs),
          );
          if (descending) found.reverse();
          const isAgain = random !== undefined && random() * AGAIN_EVERY < 1;
          return { packets: [...(isAgain ? ofSymbol.slice(0, 1) : []), ...found].slice(0, pageSize), nextPageToken: '' };
        },
        async *streamPackets(): AsyncGenerator<labeling.StreamPacketsResponse> {
          const { signal } = opened;
          while (!signal.aborted) {
            const symbols = [...new Set(published.map(({ symbol }) => symbol))];
            yield { message: { $case: 'heartbeat', value: { symbols, servedSymbols: [], sentTsMs: 0 } } };
            await delay(HEARTBEAT_MS);
          }
        },
      }),
    );
  const address = `127.0.0.1:${await freePort()}`;
  let server = await serve('labeling', bound(), address);
  const close = async (): Promise<void> => {
    opened.abort();
    await server.close();
  };
  closer.add('labeling', close);
  return {
    address,
    async restart() {
      await close();
      opened = new AbortController();
      server = await serve('labeling', bound(), address);
    },
  };
}

const DEADLINE_MS = 60_000;
const LISTED_MAX = 1_000;

/** Window ends; the last is exclusive. */
interface RehearsedSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

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
    // Every packet in the span is stored, so labeling is never called.
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

export function rehearsalDifferences({ messages, standings }: Outcome, rehearsed: readonly webhook.RehearsedRule[]): string[] {
  const alerts = alertsByRule(messages);
  const states = new Map(standings.map(({ rule_id: ruleId, symbol, state }) => [`${ruleId} ${symbol}`, stateOf(state)]));
  const names = new Set(rehearsed.map(({ ruleId, symbol }) => `${ruleId} ${symbol}`));
  const differences = [...states.keys()].filter((name) => !names.has(name)).map((name) => `The rehearsal omits ${name}.`);
  for (const { ruleId, symbol, triggered, recovered, notices, state } of rehearsed) {
    const name = `${ruleId} ${symbol}`;
    const reported = alerts.get(name) ?? [];
    if (triggered + recovered !== reported.length)
      differences.push(`${name}: the rehearsal counts ${triggered + recovered} notices, ${reported.length} were sent.`);
    const said = notices.map((notice) => [notice.phase, notice.windowEndMs, notice.eventId, notice.replayCursor].join(' '));
    const wanted = reported.map((alert) => [alert.phase, Date.parse(alert.window_end_utc), alert.event_id, alert.replay_cursor].join(' '));
    if (said.join('\n') !== wanted.slice(0, LISTED_MAX).join('\n')) differences.push(`${name}: the rehearsal lists different notices.`);
    if (state !== states.get(name)) differences.push(`${name}: the rehearsal ends in state ${state}, the rule is in ${states.get(name)}.`);
  }
  return differences;
}

const stateOf = (standing: string): string => `ALERT_STATE_${(JSON.parse(standing) as { state: string }).state.toUpperCase()}`;
