import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createSender, parseTestTargets } from '@market-state/guarded-http';
import { waitUntil } from '@market-state/testing';
import { formatWebhookSecret, signWebhook } from '@market-state/webhook-signing';
import { WORKER_PACE } from '../src/delivery/worker-deps';
import { openDelivery } from '../tests/delivery/delivery-under-test';
import type { ReceiverAddress } from './receiver';

const ROUNDS = 3;
const POSTS = 1_000;
/** Bare posts at a time: as many as the tenants may have. */
const POSTS_AT_ONCE = 64;
const LIMIT_MS = 300_000;

/** Tenants, the endpoints of each, and the messages of each endpoint. */
interface Load {
  readonly name: string;
  readonly tenants: number;
  readonly endpoints: number;
  readonly messages: number;
}

const LOADS: readonly Load[] = [
  { name: '25 tenants of 4 endpoints', tenants: 25, endpoints: 4, messages: 15 },
  { name: 'one tenant of 20 endpoints', tenants: 1, endpoints: 20, messages: 50 },
  { name: 'one endpoint', tenants: 1, endpoints: 1, messages: 500 },
];

/** Signed posts a second by the sender of the worker alone. */
async function postBare(url: string, ca: string): Promise<number> {
  const send = createSender({ targets: parseTestTargets('localhost:*=127.0.0.0/8').targets, ca });
  const secret = formatWebhookSecret(randomBytes(32));
  const body = Buffer.from(JSON.stringify({ type: 'alert.triggered', data: { number: 1 } }));
  let left = POSTS;
  const startMs = performance.now();
  await Promise.all(
    Array.from({ length: POSTS_AT_ONCE }, async () => {
      while (left-- > 0) {
        const timestampSeconds = Math.floor(Date.now() / 1_000);
        const signed = signWebhook({ id: 'msg_00000000000000000000000000', timestampSeconds, body }, [secret]);
        const result = await send({ url, headers: { 'content-type': 'application/json', ...signed }, body });
        if (result.class !== 'ok') throw new Error(`a bare post ended with ${result.class}`);
      }
    }),
  );
  return (POSTS * 1_000) / (performance.now() - startMs);
}

/** Deliveries a second, from before the messages are recorded to the last receipt. */
async function deliver(delivery: Awaited<ReturnType<typeof openBench>>['delivery'], load: Load, round: number): Promise<number> {
  const tenants = Array.from({ length: load.tenants }, (_, index) => `ten_${load.endpoints}_${round}_${index}`);
  for (const tenantId of tenants)
    for (let index = 0; index < load.endpoints; index++) await delivery.endpoint(`/${tenantId}/${index}`, undefined, { tenantId });
  const before = (await delivery.statuses()).delivered ?? 0;
  const total = load.tenants * load.endpoints * load.messages;
  const startMs = performance.now();
  for (const tenantId of tenants) await delivery.tell(load.messages, { tenantId });
  await waitUntil('the deliveries', async () => (await delivery.statuses()).delivered === before + total, LIMIT_MS);
  return (total * 1_000) / (performance.now() - startMs);
}

async function openBench() {
  const child = fork(join(__dirname, 'receiver.ts'));
  const [{ ca, port }] = (await once(child, 'message')) as [ReceiverAddress];
  const origin = `https://localhost:${port}`;
  const delivery = await openDelivery({ ca, set: (path: string) => origin + path, close: async () => child.disconnect() });
  return { ca, origin, delivery };
}

/** Prints deliveries a second of one worker, and their ratio to bare posts of the same process in the same run. */
async function main(): Promise<void> {
  const { ca, origin, delivery } = await openBench();
  await delivery.startWorker(WORKER_PACE);
  await postBare(origin, ca);
  for (let round = 1; round <= ROUNDS; round++) {
    const bare = await postBare(origin, ca);
    console.log(`round ${round}: bare posts ${bare.toFixed(0)}/s`);
    for (const load of LOADS) {
      const rate = await deliver(delivery, load, round);
      console.log(`round ${round}: ${load.name} ${rate.toFixed(0)} deliveries/s, ratio ${(rate / bare).toFixed(3)}`);
    }
  }
  await delivery.close();
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
