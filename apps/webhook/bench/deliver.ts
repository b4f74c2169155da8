import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createSender, parseTestTargets } from '@market-state/guarded-http';
import { comesTrue } from '@market-state/testing';
import { formatWebhookSecret, signWebhook } from '@market-state/webhook-signing';
import { WORKER_PACE } from '../src/delivery/worker-deps';
import { openDelivery } from '../tests/delivery/delivery-under-test';
import type { ReceiverAddress } from './receiver';

const ROUNDS = 3;
const POSTS = 1_000;
/** Typical size of an alert with its reasons. */
const BODY_CHARACTERS = 1_000;
/** Concurrent bare posts, equal to the concurrency of the tenants in the load. */
const POSTS_AT_ONCE = 64;
/** Polled rarely, because polling runs in the measured process. */
const PATIENCE = { limitMs: 300_000, everyMs: 100 };

/** Tenants, endpoints per tenant, and messages per endpoint. */
interface Load {
  readonly name: string;
  readonly tenants: number;
  readonly endpoints: number;
  readonly messages: number;
}

const MANY: Load = { name: '25 tenants of 4 endpoints', tenants: 25, endpoints: 4, messages: 15 };
const LOADS: readonly Load[] = [
  MANY,
  { name: 'one tenant of 20 endpoints', tenants: 1, endpoints: 20, messages: 50 },
  { name: 'one endpoint', tenants: 1, endpoints: 1, messages: 500 },
];

/** Operations per second, and CPU milliseconds of this process for each. */
interface Speed {
  readonly rate: number;
  readonly cpuMs: number;
}

async function speedOf(total: number, work: () => Promise<unknown>): Promise<Speed> {
  const [startMs, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { rate: (total * 1_000) / (performance.now() - startMs), cpuMs: (user + system) / 1_000 / total };
}

/** Signed posts with only the worker's sender, over new connections, or over those kept for `owner`. */
async function postBare(url: string, ca: string, owner?: string): Promise<Speed> {
  const { send, close } = createSender({ targets: parseTestTargets('localhost:*=127.0.0.0/8').targets, ca });
  const secret = formatWebhookSecret(randomBytes(32));
  const body = Buffer.from(JSON.stringify({ type: 'alert.triggered', data: { number: 1 } }));
  let left = POSTS;
  const postInTurn = async (): Promise<void> => {
    while (left-- > 0) {
      const timestampSeconds = Math.floor(Date.now() / 1_000);
      const signed = signWebhook({ id: 'msg_00000000000000000000000000', timestampSeconds, body }, [secret]);
      const result = await send({ url, headers: { 'content-type': 'application/json', ...signed }, body, owner });
      if (result.class !== 'ok') throw new Error(`a bare post ended with ${result.class}`);
    }
  };
  const speed = await speedOf(POSTS, () => Promise.all(Array.from({ length: POSTS_AT_ONCE }, postInTurn)));
  close();
  return speed;
}

/** Deliveries per second, from before the messages are recorded to the last receipt. */
async function deliver(delivery: Awaited<ReturnType<typeof openBench>>['delivery'], load: Load, round: number): Promise<Speed> {
  const tenants = Array.from({ length: load.tenants }, (_, index) => `ten_${load.endpoints}_${round}_${index}`);
  for (const tenantId of tenants)
    for (let index = 0; index < load.endpoints; index++) await delivery.endpoint(`/${tenantId}/${index}`, undefined, { tenantId });
  const before = (await delivery.statuses()).delivered ?? 0;
  const total = load.tenants * load.endpoints * load.messages;
  return speedOf(total, async () => {
    for (const tenantId of tenants) await delivery.report(load.messages, { tenantId, data: { text: 'x'.repeat(BODY_CHARACTERS) } });
    const areDelivered = async (): Promise<boolean> => (await delivery.statuses()).delivered === before + total;
    if (!(await comesTrue(areDelivered, PATIENCE))) throw new Error('deliveries are missing');
  });
}

async function openBench() {
  const child = fork(join(import.meta.dirname, 'receiver.ts'));
  const [{ ca, port }] = (await once(child, 'message')) as [ReceiverAddress];
  const origin = `https://localhost:${port}`;
  const delivery = await openDelivery({
    ca,
    set: (path: string) => origin + path,
    reset: async () => undefined,
    close: async () => child.disconnect(),
  });
  return { ca, origin, delivery };
}

const STORED = ['message', 'payload', 'fanout', 'delivery', 'attempt'];

/** Bytes on disk, with indexes, of messages and deliveries. */
async function storedBytes({ pool }: Awaited<ReturnType<typeof openBench>>['delivery']): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    'SELECT sum(pg_total_relation_size(to_regclass(name))) AS bytes FROM unnest($1::text[]) AS name',
    [STORED],
  );
  return Number(rows[0]?.bytes);
}

/**
 * Prints one JSON line with deliveries per second to many tenants, and CPU time and stored bytes per delivery, after
 * warm-up.
 */
async function figures(): Promise<void> {
  const { delivery } = await openBench();
  await delivery.startWorker(WORKER_PACE);
  await deliver(delivery, MANY, 1);
  const twice = { ...MANY, messages: MANY.messages * 2 };
  const before = await storedBytes(delivery);
  const { rate, cpuMs } = await deliver(delivery, twice, 2);
  const rowBytes = ((await storedBytes(delivery)) - before) / (twice.tenants * twice.endpoints * twice.messages);
  await delivery.close();
  console.log(JSON.stringify({ perSecond: rate, cpuMs, rowBytes }));
}

/**
 * Prints one worker's deliveries per second and CPU time, and their ratios to bare posts over new connections in the
 * same run.
 */
async function main(): Promise<void> {
  const { ca, origin, delivery } = await openBench();
  await delivery.startWorker(WORKER_PACE);
  await postBare(origin, ca);
  for (let round = 1; round <= ROUNDS; round++) {
    const bare = await postBare(origin, ca);
    const say = (what: string, { rate, cpuMs }: Speed): void =>
      console.log(
        `round ${round}: ${what} ${rate.toFixed(0)}/s, ${cpuMs.toFixed(2)} ms of CPU each; ` +
          `ratio ${(rate / bare.rate).toFixed(3)}, of CPU ${(cpuMs / bare.cpuMs).toFixed(3)}`,
      );
    say('bare posts, new connections:', bare);
    say('bare posts, kept connections:', await postBare(origin, ca, 'bench'));
    for (const load of LOADS) say(`deliveries, ${load.name}:`, await deliver(delivery, load, round));
  }
  await delivery.close();
}

(process.argv[2] === 'figures' ? figures() : main()).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
