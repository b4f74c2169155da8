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
/** A list in so many begins with a packet that was listed before. */
const AGAIN_EVERY = 10;

const refuse = (): Promise<never> => Promise.reject(failedPrecondition('internal', 'Not offered here.'));

/** Handlers that all refuse, but for those that are given. */
export function only<Definition extends object>(definition: Definition, handlers: object): never {
  return { ...Object.fromEntries(Object.keys(definition).map((name) => [name, refuse])), ...handlers } as never;
}

/** Plays a service until it is closed. @returns its address */
export async function serve(
  name: Parameters<typeof testServing>[0],
  service: BoundService,
  address = '127.0.0.1:0',
): Promise<{ readonly address: string; close(): Promise<void> }> {
  const shared = { health: createHealth(), logger: silentLogger(), shutdownWaitMs: 0 };
  return startGrpcServer({ ...testServing(name), ...shared, address, services: [service] });
}

/** The labeling service as one evaluator sees it. */
export interface ServedPackets {
  readonly address: string;
  /** Ends the service, and starts it again on the same address. */
  restart(): Promise<void>;
}

/** What all evaluators are told. */
interface PacketSource {
  /** In their order. */
  readonly published: readonly labeling.PacketRecord[];
  /** For packets that are listed again; without it none is. */
  readonly random?: (() => number) | undefined;
  /** Told when packets were asked for. */
  readonly onAsked: () => void;
}

export async function servePackets(closer: Closer, { published, random, onAsked }: PacketSource): Promise<ServedPackets> {
  let opened = new AbortController();
  const bound = () =>
    bindService(
      labeling.LabelingServiceService,
      only(labeling.LabelingServiceService, {
        async listPackets({ symbol, fromWindowEndMs, toWindowEndMs, descending, pageSize }: labeling.ListPacketsRequest) {
          onAsked();
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
/** Notices that a rehearsal lists. */
const LISTED_MAX = 1_000;

/** The span that was played: ends of windows, the last exclusive. */
interface RehearsedSpan {
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
