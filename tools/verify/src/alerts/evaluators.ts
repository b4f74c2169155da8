import { account, exports, type labeling } from '@market-state/contracts';
import { unavailable } from '@market-state/errors';
import { bindService } from '@market-state/grpc';
import { ownInstallation, type Stores } from '@market-state/launcher';
import { type Closer, delay } from '@market-state/lifecycle';
import { createRandom, type KillableProcess, oneOf, startProcess, sumOf, wholeBetween } from '@market-state/testing';
import type { Pool } from 'pg';
import { only, serve, servePackets, type ServedPackets } from './rehearsal';
import { pauseUpTo, spreadKills } from '../harness';

const POLL_MS = 5;
const BATCH_MAX = 30;
const AHEAD_MAX = 15;
const PAUSE_MS_MAX = 40;
const STALLED_MS_MAX = 60_000;

export type PacketsBySymbol = ReadonlyMap<string, readonly labeling.PacketRecord[]>;

export const packetTotalOf = (packets: PacketsBySymbol): number => sumOf([...packets.values()].map(({ length }) => length));

export interface Disturbance {
  readonly kills: number;
  readonly random: () => number;
  readonly say: (line: string) => void;
}

/**
 * Publishes all packets, and resolves once they are evaluated and the outboxes are empty. Without a disturbance all
 * packets are published together; otherwise a few at a time, while evaluators are killed and labeling restarts.
 * @returns number of kills that hit the active evaluator
 */
export async function playPackets(
  pool: Pool,
  packets: PacketsBySymbol,
  evaluators: Evaluators,
  disturbance?: Disturbance,
): Promise<number> {
  const total = packetTotalOf(packets);
  const disturb = disturbance === undefined ? async () => 0 : disturber(evaluators, total, disturbance);
  let killsAtWork = 0;
  let [lookedBefore, movedMs] = [0, performance.now()];
  for (;;) {
    const looked = await evaluatedTotals(pool);
    const evaluatedTotal = sumOf([...looked.values()]);
    if (evaluatedTotal !== lookedBefore) [lookedBefore, movedMs] = [evaluatedTotal, performance.now()];
    if (performance.now() - movedMs > STALLED_MS_MAX) throw new Error(`The evaluators are stuck at packet ${evaluatedTotal} of ${total}.`);
    publish(packets, looked, evaluators.published, disturbance?.random);
    evaluators.fillOutboxes(evaluatedTotal / total);
    killsAtWork += await disturb(evaluatedTotal);
    if (evaluatedTotal === total && evaluators.areOutboxesEmpty()) return killsAtWork;
    await delay(POLL_MS);
  }
}

async function evaluatedTotals(pool: Pool): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ symbol: string; sequence: number }>('SELECT symbol, sequence::float8 AS sequence FROM packet_cursor');
  return new Map(rows.map(({ symbol, sequence }) => [symbol, sequence]));
}

/** Publishes only the first packet of a symbol initially, because evaluators start at the newest. */
function publish(
  packets: PacketsBySymbol,
  looked: ReadonlyMap<string, number>,
  published: labeling.PacketRecord[],
  random: (() => number) | undefined,
): void {
  for (const [symbol, all] of packets) {
    const seen = looked.get(symbol) ?? 0;
    const reported = published.filter((packet) => packet.symbol === symbol).length;
    if (seen === 0 && reported > 0) continue;
    if (random !== undefined && reported - seen > AHEAD_MAX) continue;
    const more = random === undefined ? all.length : wholeBetween(1, BATCH_MAX, random);
    published.push(...all.slice(reported, seen === 0 ? 1 : reported + more));
  }
}

function disturber(
  evaluators: Evaluators,
  total: number,
  { kills, random, say }: Disturbance,
): (evaluatedTotal: number) => Promise<number> {
  const killing = spreadKills(kills, total, random);
  let isRestarted = false;
  return async (evaluatedTotal) => {
    let atWork = 0;
    for (const kill of killing.due(evaluatedTotal)) {
      await pauseUpTo(PAUSE_MS_MAX, random);
      if (await evaluators.kill(random)) atWork += 1;
      if (kill % 10 === 0 || kill === kills) say(`kill ${kill} of ${kills}, after packet ${evaluatedTotal} of ${total}`);
    }
    if (!isRestarted && evaluatedTotal * 2 > total) {
      isRestarted = true;
      await evaluators.restartLabeling();
      say('labeling restarted');
    }
    return atWork;
  };
}

/** One acknowledgement in four is lost on the way, and one in four is processed but not answered. */
const ACK_FAILS_EVERY = 4;

interface Outbox {
  add(entry: account.OutboxEntry): void;
  isEmpty(): boolean;
  readonly handlers: {
    listOutbox(request: account.ListOutboxRequest): Promise<account.ListOutboxResponse>;
    ackOutbox(request: account.AckOutboxRequest): Promise<account.AckOutboxResponse>;
  };
}

function createOutbox(random?: () => number): Outbox {
  let entries: account.OutboxEntry[] = [];
  const fails = (): boolean => random !== undefined && random() * ACK_FAILS_EVERY < 1;
  return {
    add: (entry) => void entries.push(entry),
    isEmpty: () => entries.length === 0,
    handlers: {
      listOutbox: async ({ pageSize }) => ({ entries: entries.slice(0, pageSize) }),
      async ackOutbox({ ids }) {
        if (fails()) throw unavailable('internal', 'Not received.');
        entries = entries.filter(({ id }) => !ids.includes(id));
        if (fails()) throw unavailable('internal', 'Received but not answered.');
        return {};
      },
    },
  };
}

function entryOf(kind: 'export.finished' | 'usage.threshold_reached', tenantId: string, number: number): account.OutboxEntry {
  const payload = kind === 'export.finished' ? { job_id: `exp_${number}`, status: 'ready' } : { percent: number };
  return {
    id: `${kind} ${tenantId} ${number}`,
    tenantId,
    kind,
    occasion: String(number),
    payload: Buffer.from(JSON.stringify(payload)),
    createdTsMs: number,
  };
}

const AT_WORK_SHARE = 0.75;
const ENTRIES_A_TENANT = 5;

export interface Evaluators {
  readonly published: labeling.PacketRecord[];
  fillOutboxes(part: number): void;
  areOutboxesEmpty(): boolean;
  kill(random: () => number): Promise<boolean>;
  restartLabeling(): Promise<void>;
  stop(): Promise<void>;
}

interface EvaluatorSettings {
  readonly stores: Stores;
  readonly tenants: readonly string[];
  readonly total: number;
  readonly nowMs: number;
  /** Seed for repeated packets and failing acknowledgements; default: no faults. */
  readonly faultSeed?: number | undefined;
}

export async function startEvaluators(
  closer: Closer,
  { stores, tenants, total, nowMs, faultSeed }: EvaluatorSettings,
): Promise<Evaluators> {
  const random = faultSeed === undefined ? undefined : createRandom(faultSeed);
  const published: labeling.PacketRecord[] = [];
  const outboxes = [createOutbox(random), createOutbox(random)] as const;
  const upstreams = await serveOutboxes(closer, outboxes);
  const labels: ServedPackets[] = [];
  const processes: KillableProcess[] = [];
  let atWork = 0;
  for (let at = 0; at < total; at += 1) {
    const served = await servePackets(closer, { published, random, onRequest: () => void (atWork = at) });
    labels.push(served);
    processes.push(
      await startProcess(closer, 'verify-evaluator', {
        ...upstreams,
        DATABASE_URL: stores.postgresUrl('webhook'),
        REDIS_URL: stores.redisUrl,
        RPC_TOKEN_FILE: ownInstallation().writeTokenFile('webhook-evaluator'),
        LABELING_ADDRESS: served.address,
        // Evaluators never call it.
        DATA_PLANE_ADDRESS: '127.0.0.1:1',
        EVALUATOR_NOW_MS: String(nowMs),
      }),
    );
  }
  const waiting = entriesOf(tenants);
  const entryTotal = waiting.length;
  return {
    published,
    fillOutboxes(part) {
      for (const [at, entry] of waiting.splice(0, waiting.length - Math.floor(entryTotal * (1 - part))).entries())
        outboxes[at % outboxes.length]?.add(entry);
    },
    areOutboxesEmpty: () => waiting.length === 0 && outboxes.every((outbox) => outbox.isEmpty()),
    async kill(chance) {
      const worker = processes[atWork];
      const chosen = chance() < AT_WORK_SHARE ? worker : oneOf(processes, chance);
      await chosen?.killAndRestart();
      return chosen === worker;
    },
    async restartLabeling() {
      await Promise.all(labels.map((served) => served.restart()));
    },
    async stop() {
      await Promise.all(processes.map((process) => process.stop()));
    },
  };
}

export function entriesOf(tenants: readonly string[]): account.OutboxEntry[] {
  return Array.from({ length: ENTRIES_A_TENANT }, (_, number) => number).flatMap((number) =>
    tenants.flatMap((tenantId) => [entryOf('export.finished', tenantId, number), entryOf('usage.threshold_reached', tenantId, number)]),
  );
}

async function serveOutboxes(closer: Closer, [ofAccount, ofExport]: readonly [Outbox, Outbox]): Promise<NodeJS.ProcessEnv> {
  const { OutboxServiceService: accountOutbox } = account;
  const { OutboxServiceService: exportOutbox } = exports;
  const accountServer = await serve('account', bindService(accountOutbox, only(accountOutbox, ofAccount.handlers)));
  closer.add('account', () => accountServer.close());
  const exportServer = await serve('export', bindService(exportOutbox, only(exportOutbox, ofExport.handlers)));
  closer.add('export', () => exportServer.close());
  return { ACCOUNT_ADDRESS: accountServer.address, EXPORT_ADDRESS: exportServer.address };
}
