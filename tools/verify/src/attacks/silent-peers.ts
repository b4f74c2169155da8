import { connect, type Socket } from 'node:net';
import type { Closer } from '@market-state/lifecycle';
import { atOnce, callOnce, comesTrue, countsOf, readProcessMetrics, rounded, statusesOf } from '@market-state/testing';
import { LATEST } from '../edge/edge';
import { type Attack, count, type Scene } from './scene';
import { chartOthers, judgeOthers, startOthers, watchQuiet } from './others';

const ADDRESSES = Array.from({ length: 10 }, (_, at) => `127.0.0.${at + 2}`);
const FREED_MS_MAX = 12_000;
const WATCHED_MS_MAX = 30_000;
/** A refused connection closes after a second; until then the gateway may be full. */
const SETTLED_MS = 1_500;
const FRESH_EVERY_MS = 250;
const FRESH_MS_MAX = 5_000;
const SLACK = 20;

const SENT = ['', 'GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nx-unfin', 'GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nbroken header\r\n\r\n'];

export const silentPeers: Attack = {
  id: 'silent',
  async run(scene, context) {
    const { gateway, sizes } = scene;
    const { closer, report } = context;
    const quiet = await watchQuiet(scene, context);
    const before = (await readProcessMetrics(gateway.process)).sockets;
    const others = startOthers(scene, context);
    await openPeers(closer, gateway.process.port, sizes.silent.peers);
    const { freedMs, sockets, most, fresh } = await untilFreed(scene, before + SLACK);
    const during = await others.stop();
    const unserved = fresh.filter(({ status }) => status !== 200);
    const freedAfter = `${rounded((freedMs ?? 0) / 1_000)} s`;

    judgeOthers(report, 'Silent peers', { sizes, quiet, during });
    report.check(
      freedMs !== null,
      `Silent peers: ${sockets - before} connections were still open after ${rounded(WATCHED_MS_MAX / 1_000)} s.`,
    );
    report.check(
      unserved.length === 0,
      `Silent peers: ${unserved.length} of ${fresh.length} new connections from other callers were not served.`,
    );
    report.checkTime((freedMs ?? 0) <= FREED_MS_MAX, `Silent peers: the last connection was dropped after ${freedAfter}.`);
    report.figure('silent peers: attempted, most open at the gateway at one time', `${sizes.silent.peers}, ${most - before}`);
    report.figure(
      'silent peers: all dropped after',
      freedMs === null ? `not in ${WATCHED_MS_MAX / 1_000} s, ${sockets - before} left` : freedAfter,
    );
    chartOthers(report, 'silent peers', { quiet, during });
    report.figure('silent peers: new connections of other callers, by status (0: none)', countsOf(statusesOf(fresh)));
  },
};

async function openPeers(closer: Closer, port: number, total: number): Promise<void> {
  const sockets: Socket[] = [];
  closer.add('peers', () => {
    for (const socket of sockets) socket.destroy();
  });
  await atOnce(total, (at) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: ADDRESSES[at % ADDRESSES.length], allowHalfOpen: true });
    sockets.push(socket);
    socket.pause();
    socket.on('error', () => undefined);
    return new Promise<void>((resolve) => {
      socket.once('connect', () => {
        const bytes = SENT[at % SENT.length] ?? '';
        if (bytes !== '') socket.write(bytes);
        resolve();
      });
      socket.once('error', () => resolve());
    });
  });
}

interface Freed {
  /** Time since the watch started; null if it never happened. */
  readonly freedMs: number | null;
  readonly sockets: number;
  readonly most: number;
  readonly fresh: readonly { readonly status: number }[];
}

/** Watches the gateway until few connections remain, calling it over new ones in the meantime. */
async function untilFreed(scene: Scene, fewEnough: number): Promise<Freed> {
  const startMs = performance.now();
  const fresh: Promise<{ readonly status: number }>[] = [];
  let most = 0;
  let sockets = Number.POSITIVE_INFINITY;
  async function isFreed(): Promise<boolean> {
    ({ sockets } = await readProcessMetrics(scene.gateway.process));
    most = Math.max(most, sockets);
    if (sockets <= fewEnough) return true;
    if (performance.now() - startMs > SETTLED_MS) fresh.push(callFresh(scene));
    return false;
  }
  const freed = await comesTrue(isFreed, { limitMs: WATCHED_MS_MAX, everyMs: FRESH_EVERY_MS });
  const freedMs = freed ? performance.now() - startMs : null;
  return { freedMs, sockets, most, fresh: await Promise.all(fresh) };
}

async function callFresh(scene: Scene): Promise<{ readonly status: number }> {
  const [caller] = scene.others;
  const answer = await callOnce(`${scene.gateway.url}${LATEST}`, { key: caller?.key, timeoutMs: FRESH_MS_MAX });
  count(scene, caller?.tenantId ?? '', answer?.status === 200 ? 1 : 0, answer === null ? 1 : 0);
  return { status: answer?.status ?? 0 };
}
