import { setImmediate } from 'node:timers/promises';
import { atOnce, shuffle } from '@market-state/testing';
import { type HostedAccount, orderFor } from '../harness';
import { createKeyCache } from './key-cache';

/** How long after each revocation its key still opened. */
export interface Revocations {
  /** From the answer to the revocation to the last success, milliseconds; 0 when there was none. */
  readonly lateMs: readonly number[];
  readonly uses: number;
  /** Keys that still opened at the end. */
  readonly open: number;
}

/** After the last revocation keys are used on for so long. */
const AFTER_MS = 2_000;

/** Uses keys without a pause, through caches that two gateways would have, while each is revoked. */
export async function revokeUnderLoad(host: HostedAccount, total: number, random: () => number): Promise<Revocations> {
  const issued = await atOnce(total, (index) => host.keys.issueKey(orderFor(`revoked ${Math.floor(index / 20)}`), { deadlineMs: 30_000 }));
  const caches = [await createKeyCache(host.keys), await createKeyCache(host.keys)];
  const lastSuccessMs = new Map<string, number>();
  let uses = 0;
  let stopped = false;

  async function use(offset: number): Promise<void> {
    for (let turn = offset; !stopped; turn += 1) {
      const { key } = issued[turn % issued.length] ?? { key: '' };
      const opens = await caches[turn % 2]?.opens(key);
      if (opens === true) lastSuccessMs.set(key, performance.now());
      uses += 1;
      if (turn % 50 === 0) await setImmediate();
    }
  }

  const load = atOnce(8, (index) => use(index * 13));
  const lateMs: number[] = [];
  const revokedMs = new Map<string, number>();
  for (const { key, keyId } of shuffle(issued, random)) {
    await host.keys.revokeKey({ keyId, tenantId: '' });
    revokedMs.set(key, performance.now());
  }
  const untilMs = performance.now() + AFTER_MS;
  while (performance.now() < untilMs) await setImmediate();
  stopped = true;
  await load;
  for (const [key, atMs] of revokedMs) lateMs.push(Math.max(0, (lastSuccessMs.get(key) ?? 0) - atMs));
  let open = 0;
  for (const { key } of issued) if ((await caches[0]?.opens(key)) === true) open += 1;
  await Promise.all(caches.map((cache) => cache.close()));
  return { lateMs, uses, open };
}
