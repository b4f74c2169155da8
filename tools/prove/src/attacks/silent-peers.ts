import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { LATEST } from '../edge/routes';
import { ask, statusesOf } from './ask';
import type { Attack } from './attack';
import { countsOf, judgeOthers, othersFigure, rounded, startOthers, watchQuiet } from './others';
import { readProcessMetrics } from './process-metrics';
import type { Scene } from './scene';

const ADDRESSES = Array.from({ length: 10 }, (_, at) => `127.0.0.${at + 2}`);
/** From the last connection until the gateway has let go of every one. */
const FREED_MS_MAX = 12_000;
/** How long the proof looks on before it gives up. */
const WATCHED_MS_MAX = 30_000;
/** A refused connection is gone after a second; until then the gateway may be full. */
const SETTLED_MS = 1_500;
const FRESH_EVERY_MS = 250;
const FRESH_MS_MAX = 5_000;
/** Connections of others that come and go meanwhile. */
const SLACK = 20;

/** What each third of the peers sends before it falls silent. */
const SENT = ['', 'GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nx-unfin', 'GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nbroken header\r\n\r\n'];

/** Peers that connect, send nothing, half a header or a bad request, and neither read nor close. */
export const silentPeers: Attack = {
  id: 'silent',
  async run(scene) {
    const { gateway, sizes } = scene;
    const quiet = await watchQuiet(scene);
    const before = (await readProcessMetrics(gateway.opsUrl)).sockets;
    const others = startOthers(scene);
    const peers = openPeers(Number(new URL(gateway.url).port), sizes.silent.peers);
    try {
      await peers.settled;
      const watched = await untilFreed(scene, before + SLACK);
      const during = await others.stop();
      const judged = judgeOthers(scene, 'Silent peers', quiet, during);
      const unserved = watched.fresh.filter((status) => status !== 200);
      return {
        failures: [
          ...judged.failures,
          ...(watched.freedMs === null
            ? [`Silent peers: ${watched.sockets - before} connections were still there after ${rounded(WATCHED_MS_MAX / 1_000)} s.`]
            : []),
          ...(unserved.length === 0
            ? []
            : [`Silent peers: ${unserved.length} of ${watched.fresh.length} new connections of others were not served.`]),
        ],
        timing: [
          ...judged.timing,
          ...(watched.freedMs !== null && watched.freedMs > FREED_MS_MAX
            ? [`Silent peers: the last connection was freed after ${rounded(watched.freedMs / 1_000)} s.`]
            : []),
        ],
        figures: [
          ['silent peers: tried, at most held by the gateway at once', `${sizes.silent.peers}, ${watched.most - before}`],
          [
            'silent peers: all freed after',
            watched.freedMs === null
              ? `not in ${WATCHED_MS_MAX / 1_000} s, ${watched.sockets - before} left`
              : `${rounded(watched.freedMs / 1_000)} s`,
          ],
          ['silent peers: latest of others, quiet', othersFigure(quiet)],
          ['silent peers: latest of others, meanwhile', othersFigure(during)],
          [
            'silent peers: new connections of others, by status (0: none)',
            countsOf(statusesOf(watched.fresh.map((status) => ({ status })))),
          ],
        ],
      };
    } finally {
      await others.stop();
      peers.close();
    }
  },
};

/** Opens them all; `settled` when each is connected or refused. */
function openPeers(port: number, total: number): { readonly settled: Promise<unknown>; close(): void } {
  const sockets: Socket[] = [];
  const settled: Promise<void>[] = [];
  for (let at = 0; at < total; at += 1) {
    const socket = connect({ port, host: '127.0.0.1', localAddress: ADDRESSES[at % ADDRESSES.length], allowHalfOpen: true });
    socket.pause();
    socket.on('error', () => undefined);
    settled.push(
      new Promise((resolve) => {
        socket.once('connect', () => {
          const bytes = SENT[at % SENT.length] ?? '';
          if (bytes !== '') socket.write(bytes);
          resolve();
        });
        socket.once('error', () => resolve());
      }),
    );
    sockets.push(socket);
  }
  return {
    settled: Promise.all(settled),
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

interface Watched {
  /** From the start of the watch; null when it did not happen. */
  readonly freedMs: number | null;
  readonly sockets: number;
  readonly most: number;
  /** Status of each call over a connection of its own; 0 where none came. */
  readonly fresh: readonly number[];
}

/** Watches the gateway until it has few connections left, and calls it over new ones meanwhile. */
async function untilFreed({ gateway, others, counted }: Scene, fewEnough: number): Promise<Watched> {
  const startMs = performance.now();
  const elapsedMs = (): number => performance.now() - startMs;
  const fresh: Promise<number>[] = [];
  let most = 0;
  let sockets = Number.POSITIVE_INFINITY;
  let freedMs: number | null = null;
  while (freedMs === null && elapsedMs() < WATCHED_MS_MAX) {
    ({ sockets } = await readProcessMetrics(gateway.opsUrl));
    most = Math.max(most, sockets);
    if (sockets <= fewEnough) freedMs = elapsedMs();
    else if (elapsedMs() > SETTLED_MS) fresh.push(callFresh());
    await delay(FRESH_EVERY_MS);
  }
  return { freedMs, sockets, most, fresh: await Promise.all(fresh) };

  async function callFresh(): Promise<number> {
    const [caller] = others;
    const answer = await ask(`${gateway.url}${LATEST}`, {
      headers: { 'x-market-state-api-key': caller?.key ?? '' },
      timeoutMs: FRESH_MS_MAX,
    });
    const was = counted.get(caller?.tenantId ?? '') ?? { good: 0, lost: 0 };
    counted.set(caller?.tenantId ?? '', { good: was.good + (answer?.status === 200 ? 1 : 0), lost: was.lost + (answer === null ? 1 : 0) });
    return answer?.status ?? 0;
  }
}
