import { timeLimit } from '@market-state/lifecycle';
import { comesTrue, opsUrlOf, shuffle } from '@market-state/testing';
import type { Pool } from 'pg';
import { pauseUpTo } from '../../harness';
import { countClaims } from '../../webhooks/judge-deliveries';
import { disturb, drawFaults, newestOrdinal, ofFeeds, killShard } from '../faults';
import type { PacketStream, SteadyReads, GatewayLives } from '../load';
import { SYMBOLS } from '../scene';
import { cursorOf } from './customers';
import { type WholeScene, wholeSystem } from './open-scene';
import type { Death } from '../../edge/faults';

export interface Lives extends GatewayLives {
  die(gateway: number, atMs: number): void;
  deaths(): readonly Death[];
}

export function createLives(): Lives {
  const deaths: Death[] = [];
  const lifeOf = (gateway: number): number => deaths.filter((death) => death.gateway === gateway).length;
  return {
    lifeOf,
    lastKilled: () => deaths.at(-1)?.gateway ?? 0,
    // The rest of the system was healthy, so only its last batch can be unposted.
    die: (gateway, atMs) => void deaths.push({ gateway, life: lifeOf(gateway), atMs, isCalm: true }),
    deaths: () => deaths,
  };
}

/** A kill and its recovery; times are of `performance.now()`. */
export interface Kill {
  readonly name: string;
  readonly atMs: number;
  readonly untilMs: number;
  readonly backMs: number;
  /** Time until every process is ready and every store has its replica. */
  readonly wholeMs: number;
  readonly last: string;
}

interface KillDeps {
  readonly scene: WholeScene;
  readonly reads: SteadyReads;
  readonly streams: readonly PacketStream[];
  readonly lives: Lives;
  readonly webhooks: Pool;
  readonly random: () => number;
  readonly onUnderWay: (attempts: number) => void;
}

const BACK_MS_MAX = 60_000;
const ANSWER_MS_MAX = 2_000;
const PAUSE_MS_MAX = 2_000;
const POLL_MS = 50;
const UNDER_WAY_MAX = 20;

type KillKind = readonly [name: string, kill: (deps: KillDeps) => Promise<Omit<Kill, 'name' | 'wholeMs' | 'last'>>];

export function shuffledKinds(random: () => number): KillKind[] {
  return shuffle(KINDS, random);
}

const KINDS: readonly KillKind[] = [
  ['primary of a slot', killRedisPrimary],
  ['PostgreSQL primary', killPostgres],
  ['PostgreSQL standby', killPostgresStandby],
  ['gateway', killGateway],
  ['labeling shard', (deps) => killShardOf(deps, 'labeling')],
  ['recorder shard', (deps) => killShardOf(deps, 'data-plane-recorder')],
  ['feed that writes', killFeed],
  ['account', (deps) => killOneOf(deps, 'account')],
  ['data plane', (deps) => killOneOf(deps, 'data-plane')],
  ['export', (deps) => killOneOf(deps, 'export')],
  ['export worker', (deps) => killOneOf(deps, 'export-worker')],
  ['webhook', (deps) => killOneOf(deps, 'webhook')],
  ['evaluator', killEvaluator],
  ['webhook worker', killWebhookWorker],
];

/** Kills and waits for full recovery. @throws Error if something does not recover in time */
export async function makeKill([name, kill]: KillKind, deps: KillDeps): Promise<Kill> {
  await pauseUpTo(PAUSE_MS_MAX, deps.random);
  const made = await kill(deps);
  const last = await wholeSystem(deps.scene.system);
  const untilMs = performance.now();
  return { ...made, name, untilMs, wholeMs: untilMs - made.atMs, last };
}

export function describeKill({ name, backMs, wholeMs, last }: Kill): string {
  return `${name} killed, back after ${Math.round(backMs)} ms, all ready after ${Math.round(wholeMs)} ms (${last})`;
}

async function timeUntil(what: string, atMs: number, isBack: () => Promise<boolean> | boolean): Promise<number> {
  const look = async (): Promise<boolean> => isBack();
  if (!(await comesTrue(() => look().catch(() => false), { limitMs: BACK_MS_MAX, everyMs: POLL_MS })))
    throw new Error(`${what} in ${BACK_MS_MAX} ms.`);
  return performance.now() - atMs;
}

async function killRedisPrimary({ scene, reads, random }: KillDeps) {
  const [fault] = drawFaults(1, random);
  if (fault === undefined) throw new Error('There is no fault of Redis.');
  const { atMs, untilMs, logMs, packetMs } = await disturb(scene, fault, reads);
  return { atMs, untilMs, backMs: Math.max(logMs, packetMs) };
}

/** Recovered when a write is confirmed, every process is ready, and a newer packet than before is served. */
async function killPostgres({ scene, reads, webhooks, onUnderWay }: KillDeps) {
  onUnderWay(await countClaims(webhooks));
  const packetMs = reads.newestPacketMs();
  const failing = scene.pair.failOver();
  failing.catch(() => undefined);
  const startedMs = performance.now();
  const packetBackMs = await timeUntil('The primary was killed, and no packet arrived', startedMs, () => reads.newestPacketMs() > packetMs);
  const { atMs, writableMs } = await failing;
  return { atMs, untilMs: performance.now(), backMs: Math.max(writableMs, packetBackMs) };
}

async function killPostgresStandby({ scene, webhooks, onUnderWay }: KillDeps) {
  onUnderWay(await countClaims(webhooks));
  const { atMs, writableMs } = await scene.pair.loseStandby();
  return { atMs, untilMs: performance.now(), backMs: writableMs };
}

async function killShardOf({ scene, streams, random }: KillDeps, process: string) {
  const at = Math.floor(random() * SYMBOLS.length);
  const { atMs, untilMs, packetMs } = await killShard(
    scene,
    { process: numbered(process, at), symbol: SYMBOLS[at] ?? '' },
    streams,
    random,
  );
  return { atMs, untilMs, backMs: packetMs };
}

async function killFeed({ scene }: KillDeps) {
  const { system } = scene;
  const writer = (await ofFeeds(system, 'feed_lease_held')).indexOf(1);
  if (writer === -1) throw new Error('No feed is writing.');
  const ordinal = await newestOrdinal(system);
  const atMs = kill(scene, numbered('data-plane-feed', writer));
  const backMs = await timeUntil(
    'The feed was killed, and no entry arrived',
    atMs,
    async () => (await newestOrdinal(system)) > ordinal + UNDER_WAY_MAX,
  );
  return { atMs, untilMs: performance.now(), backMs };
}

async function killGateway({ scene, lives, random }: KillDeps) {
  const at = random() < 0.5 ? 0 : 1;
  const name = numbered('gateway', at);
  const atMs = kill(scene, name);
  lives.die(at, atMs);
  const { public: port } = scene.system.processes.portsOf(name);
  return { atMs, untilMs: performance.now(), backMs: await untilReady(`http://127.0.0.1:${port}`, atMs) };
}

/** Recovered when it is ready. Its twin does the work in the meantime. */
async function killOneOf({ scene, random }: KillDeps, definition: string) {
  const name = numbered(definition, random() < 0.5 ? 0 : 1);
  const atMs = kill(scene, name);
  const backMs = await untilReady(opsUrlOf(scene.system, name), atMs);
  return { atMs, untilMs: performance.now(), backMs };
}

async function killEvaluator({ scene, random }: KillDeps) {
  const before = await Promise.all(SYMBOLS.map((symbol) => cursorOf(scene, symbol)));
  const atMs = kill(scene, numbered('webhook-evaluator', random() < 0.5 ? 0 : 1));
  const isBack = async (): Promise<boolean> => {
    const now = await Promise.all(SYMBOLS.map((symbol) => cursorOf(scene, symbol)));
    return now.every((cursor, at) => (cursor?.sequence ?? 0) > (before[at]?.sequence ?? 0));
  };
  return {
    atMs,
    untilMs: performance.now(),
    backMs: await timeUntil('An evaluator was killed, and no packet was evaluated', atMs, isBack),
  };
}

async function killWebhookWorker({ scene, webhooks, onUnderWay, random }: KillDeps) {
  onUnderWay(await countClaims(webhooks));
  const name = numbered('webhook-worker', random() < 0.5 ? 0 : 1);
  const atMs = kill(scene, name);
  const arrived = scene.receivers.arrived.length;
  const arrivedMs = await timeUntil('A worker was killed, and nothing arrived', atMs, () => scene.receivers.arrived.length > arrived);
  const readyMs = await untilReady(opsUrlOf(scene.system, name), atMs);
  return { atMs, untilMs: performance.now(), backMs: Math.max(arrivedMs, readyMs) };
}

function numbered(definition: string, at: number): string {
  return at === 0 ? definition : `${definition}-${at + 1}`;
}

function kill({ system }: WholeScene, name: string): number {
  system.processes.signal(name, 'SIGKILL');
  return performance.now();
}

function untilReady(base: string, atMs: number): Promise<number> {
  return timeUntil(`${base} was not ready`, atMs, async () => (await fetch(`${base}/readyz`, { signal: timeLimit(ANSWER_MS_MAX) })).ok);
}
