import { setTimeout as delay } from 'node:timers/promises';
import { LATEST } from '../../edge/routes';
import { openCaller } from '@market-state/testing';
import { openPool, type SuiteContext } from '../../harness';
import { readPackets } from '../packet-stream';
import { SYMBOLS } from '../scene';
import { readSteadily } from '../steady-reads';
import { type Busy, openBusy, orderUntilTaken } from './customers';
import { judgeWhole } from './judge-whole';
import { describeKill, type Kill, makeKill, shuffledKinds } from './kills';
import { createLives } from './lives';
import { openWholeScene } from './open-scene';

const MINUTES = 10;
const MINUTE_MS = 60_000;
const READS_PER_SECOND = 200;
const CONNECTIONS = 64;
const EXPORTS = 5;
/** Before the first kill and between two. */
const CALM_MS = 4_000;
/** Rows of a minute are there to be exported after so long. */
const FIRST_ORDER_MS = 75_000;

/** Every service twice on stores that are twice, under reads, alerts and exports, while each is killed in turn. */
export async function verifyWhole(context: SuiteContext): Promise<void> {
  const { closer, random, say, report, minutes = MINUTES } = context;
  const scene = await openWholeScene(context);
  const busy = await openBusy(scene);
  say(`every process is ready; ${minutes} min of load`);
  const webhooks = openPool(closer, scene.system.stores.postgresUrl('webhook'));
  const lives = createLives();
  const reads = readSteadily(openCaller(closer, CONNECTIONS), `${scene.url}${LATEST}`, scene.tenant, READS_PER_SECOND, lives);
  const streams = SYMBOLS.map((symbol) => readPackets(scene.url, scene.streaming.key, symbol));
  const startedMs = performance.now();
  const endMs = startedMs + minutes * MINUTE_MS;
  const ordering = orderInTurn(busy, startedMs, endMs);
  ordering.catch(() => undefined);
  const kills: Kill[] = [];
  let underWayAtKills = 0;
  try {
    const deps = { scene, reads, streams, lives, webhooks, random, onUnderWay: (attempts: number) => void (underWayAtKills += attempts) };
    await delay(CALM_MS);
    do {
      const kinds = shuffledKinds(random);
      for (const kind of kinds) {
        // Each kind once, however long that takes.
        if (kills.length >= kinds.length && performance.now() > endMs) break;
        const kill = await makeKill(kind, deps);
        kills.push(kill);
        say(`${kills.length}: ${describeKill(kill)}`);
        await delay(CALM_MS);
      }
    } while (performance.now() < endMs);
  } finally {
    await reads.stop();
  }
  const loadMs = performance.now() - startedMs;
  const orders = await ordering;
  say('the load is over; judging');
  const perSecond = Math.round(reads.reads.length / (loadMs / 1_000));
  report.figure('load', `${Math.round(loadMs / 1_000)} s, ${perSecond} of ${READS_PER_SECOND} reads/s, ${kills.length} kills`);
  await judgeWhole(context, { scene, busy, webhooks, lives, reads, streams, kills, underWayAtKills, orders, loadMs });
}

/** Orders spread over the time. @returns each with how often it was refused before it was taken */
async function orderInTurn({ customer }: Busy, startedMs: number, endMs: number): Promise<{ id: string; refused: number }[]> {
  const orders: { id: string; refused: number }[] = [];
  const apartMs = Math.max(0, endMs - startedMs - FIRST_ORDER_MS) / EXPORTS;
  for (let at = 0; at < EXPORTS; at += 1) {
    await delay(Math.max(0, startedMs + FIRST_ORDER_MS + at * apartMs - performance.now()));
    orders.push(await orderUntilTaken(customer, `order-${at + 1}`));
  }
  return orders;
}
