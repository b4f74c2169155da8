import { get, type ClientRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { System } from '@market-state/launcher';
import { opsUrlOf, readMetrics, readProcessMetrics } from '@market-state/testing';
import { drive } from '../load/drive';
import { sizeOfAnswer } from '../reads/steady-load';
import { type Measured, cpuOfProcess } from './measurements';

const LATEST = '/api/public/market-state/latest?symbol=BTCUSD-PERP';
const STREAM = '/api/public/market-state/stream?symbol=BTCUSD-PERP';
const KEY = 'x-market-state-api-key';
const POSTS = /method="\/marketstate\.account\.v1\.CreditService\/PostCharges"/;
const WARM_UP_SECONDS = 10;
const RESTING_MS = 20_000;
const CONNECTIONS_A_KEY = 2;
const BYTES_OF_KIB = 1_024;
const PACKET = /^event: ?packet$/gm;

export interface ReadsPlan {
  readonly perSecond: number;
  readonly seconds: number;
}

async function resting(system: System): Promise<{ readonly gateway: number; readonly account: number }> {
  const [startMs, gateway, account] = [performance.now(), cpuOfProcess(system, 'gateway'), cpuOfProcess(system, 'account')];
  await delay(RESTING_MS);
  const seconds = (performance.now() - startMs) / 1_000;
  return { gateway: (cpuOfProcess(system, 'gateway') - gateway) / seconds, account: (cpuOfProcess(system, 'account') - account) / seconds };
}

/**
 * Calls `latest` with keys and credits at a constant rate, and measures the charge batches. @throws Error if an answer
 * is not 200
 */
export async function measureLatest(
  system: System,
  keys: readonly string[],
  { perSecond, seconds }: ReadsPlan,
): Promise<Pick<Measured, 'latest' | 'posts'>> {
  const url = system.url + LATEST;
  const bytes = await sizeOfAnswer(url, keys[0] ?? '');
  const order = { url, keys, perSecond, connections: CONNECTIONS_A_KEY };
  await drive({ ...order, seconds: WARM_UP_SECONDS });
  const rest = await resting(system);
  const postsOf = async (): Promise<number> =>
    (await readMetrics(opsUrlOf(system, 'account'))).sum('grpc_server_handling_seconds_count', POSTS);
  const before = {
    ms: performance.now(),
    gateway: cpuOfProcess(system, 'gateway'),
    account: cpuOfProcess(system, 'account'),
    posts: await postsOf(),
  };
  const report = await drive({ ...order, seconds });
  const took = (performance.now() - before.ms) / 1_000;
  const others = Object.keys(report.statuses).filter((status) => status !== '200');
  if (others.length > 0 || report.failed > 0) throw new Error(`latest also returned ${others.join(', ') || 'no answer'}.`);
  const posts = (await postsOf()) - before.posts;
  return {
    latest: { cpuUs: ((cpuOfProcess(system, 'gateway') - before.gateway - rest.gateway * took) * 1_000) / report.goodMs.length, bytes },
    posts: {
      perSecond: posts / took,
      cpuMs: Math.max(0.01, (cpuOfProcess(system, 'account') - before.account - rest.account * took) / posts),
    },
  };
}

export async function measureReaders(
  system: System,
  keys: readonly string[],
  total: number,
  durationMs: number,
): Promise<Pick<Measured, 'readers'>> {
  const rest = await resting(system);
  const gateway = { opsUrl: opsUrlOf(system, 'gateway') };
  const { residentBytes: before } = await readProcessMetrics(gateway);
  let packets = 0;
  const readers = await Promise.all(
    Array.from({ length: total }, (_, index) =>
      openReader(system.url + STREAM, keys[index % keys.length] ?? '', (count) => (packets += count)),
    ),
  );
  try {
    // Opening costs have passed.
    await delay(RESTING_MS);
    const [startMs, cpuBefore, packetsBefore] = [performance.now(), cpuOfProcess(system, 'gateway'), packets];
    await delay(durationMs);
    const usedMs = cpuOfProcess(system, 'gateway') - cpuBefore - (rest.gateway * (performance.now() - startMs)) / 1_000;
    const { residentBytes } = await readProcessMetrics(gateway);
    return {
      readers: {
        total,
        cpuUs: Math.max(0.1, (usedMs * 1_000) / (packets - packetsBefore)),
        kib: Math.max(0.1, (residentBytes - before) / BYTES_OF_KIB / total),
      },
    };
  } finally {
    for (const reader of readers) reader.destroy();
  }
}

function openReader(url: string, key: string, onPackets: (count: number) => void): Promise<ClientRequest> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers: { [KEY]: key }, agent: false }, (response) => {
      if (response.statusCode !== 200) {
        reject(new Error(`A stream was refused: ${response.statusCode}.`));
        return;
      }
      response.setEncoding('utf8');
      response.on('data', (text: string) => onPackets(text.match(PACKET)?.length ?? 0));
      response.on('error', () => undefined);
      resolve(request);
    });
    request.on('error', reject);
  });
}
