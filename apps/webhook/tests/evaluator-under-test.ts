import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NEW_RULE_STATE } from '@market-state/alert-rules';
import { account, createMessage, exports, labeling } from '@market-state/contracts';
import { failedPrecondition } from '@market-state/errors';
import { bindService, type BoundService, createHealth, startGrpcServer } from '@market-state/grpc';
import { silentLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import type { RunningService } from '@market-state/service';
import { startStores, testRpcSettings, testServing, waitUntil } from '@market-state/testing';
import type { Pool } from 'pg';
import { startEvaluator } from '../src/evaluator';
import { bodyOf, type MessageRow } from '../src/messages/message';
import { listMessages } from '../src/store/messages';
import { storeEndpoints } from './stored-endpoint';

const START_MS = Date.UTC(2024, 7, 8);
const WINDOW_MS = 10_000;

const file = join(import.meta.dirname, '../../../docs/examples/btcusd-perp-packets.ndjson');
const examples = readFileSync(file, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as { replay: object; scope: object });

export const windowEndMs = (sequence: number): number => START_MS + sequence * WINDOW_MS;

/** Packets of a symbol by letters: `T` for `depth_watch`, `F` for `pressure_building`, `.` for a missing packet. */
export function packetsOf(symbol: string, pattern: string, first = 1): labeling.PacketRecord[] {
  return [...pattern].flatMap((letter, index) => (letter === '.' ? [] : [packetOf(symbol, first + index, letter)]));
}

function packetOf(symbol: string, sequence: number, letter: string): labeling.PacketRecord {
  const example = examples[sequence % examples.length];
  const endMs = windowEndMs(sequence);
  const eventId = `evt_${symbol}_${sequence}`;
  const body = {
    ...example,
    symbol: symbol.split('@')[0],
    state: letter === 'T' ? 'depth_watch' : 'pressure_building',
    event_id: eventId,
    scope: { ...example?.scope, window_end_utc: new Date(endMs).toISOString() },
    replay: { ...example?.replay, cursor: `rc1.${symbol}.${endMs}` },
  };
  const record = { symbol, windowEndMs: endMs, sequence, eventId, body: Buffer.from(JSON.stringify(body)) };
  return createMessage(labeling.PacketRecord, record);
}

interface RuleRow {
  readonly ruleId: string;
  readonly tenantId: string;
  readonly symbol: string;
  readonly kind?: string;
  readonly params?: object;
  readonly minConsecutive?: number;
  readonly cooldownSeconds?: number;
  readonly muted?: boolean;
}

export interface FakeOutbox {
  entries: account.OutboxEntry[];
  readonly acknowledged: string[];
  /** Number of acknowledgements to lose. */
  lost: number;
}

/** A database and the services an evaluator calls, without an evaluator. */
export interface EvaluatorBench {
  readonly pool: Pool;
  readonly ownerUrl: string;
  readonly accountOutbox: FakeOutbox;
  readonly exportOutbox: FakeOutbox;
  /** Wall clock of the evaluators. */
  nowMs: number;
  /** Labeling does not answer. */
  isLabelingAway: boolean;
  /** Packets repeated in every listing of their symbol. */
  listedAgain: labeling.PacketRecord[];
  start(): Promise<RunningService>;
  /** Publishes packets and sets the clock to a second past the newest window. */
  publish(packets: readonly labeling.PacketRecord[]): void;
  /** Adds packets that labeling lists, but has not pushed. */
  storeUnpushed(packets: readonly labeling.PacketRecord[]): void;
  /** Number of answered listings of packets. */
  listings(): number;
  /** Wakes the evaluators without a packet. */
  heartbeat(): void;
  /** Resolves when that packet was evaluated. */
  seen(symbol: string, sequence: number): Promise<void>;
  addRule(rule: RuleRow): Promise<void>;
  /** `topics` are `kind` or `kind symbol`. */
  addEndpoint(endpointId: string, tenantId: string, topics: readonly string[], status?: string): Promise<void>;
  /** A tenant's messages, in order. */
  messages(tenantId: string): Promise<MessageRow[]>;
  /** State and transitions of a rule. */
  standing(ruleId: string): Promise<{ state: Record<string, unknown>; recent: Record<string, unknown>[] }>;
  close(): Promise<void>;
}

const refuse = (): Promise<never> => Promise.reject(failedPrecondition('internal', 'Not available here.'));

/** Handlers that all refuse except the given ones. */
function only<Definition extends object>(definition: Definition, handlers: object): never {
  return { ...Object.fromEntries(Object.keys(definition).map((name) => [name, refuse])), ...handlers } as never;
}

const serve = (name: 'account' | 'export' | 'labeling', service: BoundService) =>
  startGrpcServer({
    ...testServing(name),
    address: '127.0.0.1:0',
    health: createHealth(),
    logger: silentLogger(),
    shutdownWaitMs: 0,
    services: [service],
  });

export const bodiesOf = (rows: readonly MessageRow[]) =>
  rows.map(
    (row) => JSON.parse(bodyOf(row).toString()) as { type: string; data: Record<string, unknown>; meta: object } & Record<string, unknown>,
  );

export async function startBench(): Promise<EvaluatorBench> {
  const stores = await startStores({ services: ['webhook'] });
  const databaseUrl = stores.postgresUrl('webhook');
  const pool = createPool({ url: databaseUrl, logger: silentLogger(), applicationName: 'test' });
  const labels = fakeLabeling(() => bench);
  const accountOutbox: FakeOutbox = { entries: [], acknowledged: [], lost: 0 };
  const exportOutbox: FakeOutbox = { entries: [], acknowledged: [], lost: 0 };
  const servers = [
    await serve('labeling', labels.service),
    await serve('account', bindService(account.OutboxServiceService, only(account.OutboxServiceService, handlersOf(accountOutbox)))),
    await serve('export', bindService(exports.OutboxServiceService, only(exports.OutboxServiceService, handlersOf(exportOutbox)))),
  ] as const;
  const running = new Set<RunningService>();
  const bench: EvaluatorBench = {
    pool,
    ownerUrl: stores.ownerUrl('webhook'),
    accountOutbox,
    exportOutbox,
    nowMs: START_MS,
    isLabelingAway: false,
    listedAgain: [],
    async start() {
      const evaluator = await startEvaluator(
        {
          logLevel: 'silent',
          opsPort: 0,
          rpc: testRpcSettings('webhook-evaluator'),
          databaseUrl,
          redisUrl: stores.redisUrl,
          labelingAddresses: [servers[0].address],
          dataPlaneAddresses: ['127.0.0.1:1'],
          accountAddresses: [servers[1].address],
          exportAddresses: [servers[2].address],
          shutdownWaitMs: 0,
        },
        { logger: silentLogger(), clock: () => bench.nowMs },
      );
      running.add(evaluator);
      return evaluator;
    },
    publish(packets) {
      bench.nowMs = Math.max(bench.nowMs, ...packets.map((packet) => packet.windowEndMs + 1_000));
      labels.add(packets);
    },
    storeUnpushed: labels.addUnpushed,
    listings: labels.listings,
    heartbeat: labels.wake,
    async seen(symbol, sequence) {
      await waitUntil(
        `packet ${sequence} of ${symbol} was evaluated`,
        async () =>
          (await pool.query('SELECT 1 FROM packet_cursor WHERE symbol = $1 AND sequence >= $2', [symbol, sequence])).rowCount === 1,
      );
    },
    async addRule({ ruleId, tenantId, symbol, kind = 'state_is', params = { states: ['depth_watch'] }, ...rest }) {
      const { minConsecutive = 1, cooldownSeconds = 0, muted = false } = rest;
      await pool.query(
        `INSERT INTO watchlist (watchlist_id, tenant_id, operation_id, kind, name, symbols, muted, created_ms, updated_ms)
         VALUES ('wl_' || $1, $2, 'op_' || $1, 'watchlist', 'My list', $3, $4, 1, 1)`,
        [ruleId, tenantId, JSON.stringify([symbol]), muted],
      );
      await pool.query(
        `INSERT INTO rule (rule_id, watchlist_id, position, kind, params, cooldown_seconds, min_consecutive)
         VALUES ($1, 'wl_' || $1, 0, $2, $3, $4, $5)`,
        [ruleId, kind, JSON.stringify(params), cooldownSeconds, minConsecutive],
      );
      await pool.query(`INSERT INTO rule_state (rule_id, symbol, state, recent, updated_ms) VALUES ($1, $2, $3, '[]', 1)`, [
        ruleId,
        symbol,
        JSON.stringify(NEW_RULE_STATE),
      ]);
    },
    async addEndpoint(endpointId, tenantId, topics, status = 'live') {
      await storeEndpoints(pool, { endpointId, tenantId, topics, status, planId: 'public_research' });
    },
    messages: (tenantId) => listMessages(pool, tenantId, { after: 0, eventKinds: [], limit: 10_000 }),
    async standing(ruleId) {
      const { rows } = await pool.query('SELECT state, recent FROM rule_state WHERE rule_id = $1', [ruleId]);
      return rows[0] as Awaited<ReturnType<EvaluatorBench['standing']>>;
    },
    async close() {
      for (const evaluator of running) await evaluator.close();
      labels.close();
      await Promise.all(servers.map((server) => server.close()));
      await pool.end();
      await stores.stop();
    },
  };
  return bench;
}

function handlersOf(outbox: FakeOutbox) {
  return {
    listOutbox: async ({ pageSize }: account.ListOutboxRequest) => ({ entries: outbox.entries.slice(0, pageSize) }),
    async ackOutbox({ ids }: account.AckOutboxRequest) {
      outbox.acknowledged.push(...ids);
      if (outbox.lost > 0) outbox.lost -= 1;
      else outbox.entries = outbox.entries.filter(({ id }) => !ids.includes(id));
      return {};
    },
  };
}

function fakeLabeling(bench: () => Pick<EvaluatorBench, 'listedAgain' | 'isLabelingAway'>) {
  const packets: labeling.PacketRecord[] = [];
  const unpushed = new Set<labeling.PacketRecord>();
  let listings = 0;
  let isClosed = false;
  let waiting: (() => void)[] = [];
  const wake = (): void => {
    const woken = waiting;
    waiting = [];
    for (const go of woken) go();
  };
  const service = bindService(
    labeling.LabelingServiceService,
    only(labeling.LabelingServiceService, {
      async listPackets({ symbol, fromWindowEndMs, descending, pageSize }: labeling.ListPacketsRequest) {
        if (bench().isLabelingAway) return refuse();
        listings += 1;
        const found = packets.filter((packet) => packet.symbol === symbol && packet.windowEndMs >= fromWindowEndMs);
        if (descending) found.reverse();
        const again = bench().listedAgain.filter((packet) => packet.symbol === symbol);
        return { packets: [...again, ...found].slice(0, pageSize), nextPageToken: '' };
      },
      async *streamPackets(): AsyncGenerator<labeling.StreamPacketsResponse> {
        let pushedTotal = packets.length;
        while (!isClosed) {
          if (bench().isLabelingAway) await refuse();
          const fresh = packets.slice(pushedTotal);
          pushedTotal = packets.length;
          for (const value of fresh) if (!unpushed.has(value)) yield { message: { $case: 'packet', value } };
          const symbols = [...new Set(packets.map(({ symbol }) => symbol))];
          if (fresh.length === 0) yield { message: { $case: 'heartbeat', value: { symbols, servedSymbols: [], sentTsMs: 0 } } };
          if (pushedTotal === packets.length) await new Promise<void>((go) => waiting.push(go));
        }
      },
    }),
  );
  return {
    service,
    wake,
    listings: () => listings,
    add(more: readonly labeling.PacketRecord[]) {
      packets.push(...more);
      wake();
    },
    addUnpushed(more: readonly labeling.PacketRecord[]) {
      for (const packet of more) unpushed.add(packet);
      packets.push(...more);
    },
    close() {
      isClosed = true;
      wake();
    },
  };
}
