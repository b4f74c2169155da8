import { setImmediate } from 'node:timers/promises';
import type { account } from '@market-state/contracts';
import { keyDigest, parseKey } from '@market-state/credentials';
import { openPrivateStores, rounded, atOnce, shuffle } from '@market-state/testing';
import { hostAccount, type HostedAccount, orderFor, type Suite, type SuiteContext } from './harness';
import { junkKey, unknownKey } from './junk-key';

/**
 * Caches keys as a gateway does: checks shape and checksum before any call, and keeps grants until the watch reports a
 * change.
 */
interface KeyCache {
  opens(key: string): Promise<boolean>;
  readonly requested: () => number;
  close(): Promise<void>;
}

async function createKeyCache(keys: HostedAccount['keys']): Promise<KeyCache> {
  const good = new Set<string>();
  const caller = new AbortController();
  const messages = keys.watchKeys({}, { signal: caller.signal })[Symbol.asyncIterator]();
  let requested = 0;
  let changes = 0;
  await messages.next();

  async function follow(): Promise<void> {
    for (;;) {
      const next: IteratorResult<account.WatchKeysResponse> = await messages.next();
      if (next.done === true) return;
      if (next.value.message?.$case !== 'changed') continue;
      changes += 1;
      good.delete(next.value.message.value.keyDigest.toString('hex'));
    }
  }
  const following = follow().catch(() => good.clear());

  return {
    requested: () => requested,
    async opens(key) {
      if (parseKey(key) === null) return false;
      const digest = keyDigest(key);
      if (good.has(digest.toString('hex'))) return true;
      const changesBefore = changes;
      requested += 1;
      const { grant } = await keys.verifyKey({ keyDigest: digest });
      // An answer that predates a change received during the call is not cached.
      if (grant !== undefined && changes === changesBefore) good.add(digest.toString('hex'));
      return grant !== undefined;
    },
    async close() {
      caller.abort();
      await following;
    },
  };
}

interface Revocations {
  /** From the revocation's answer to the last success in milliseconds; 0 without one. */
  readonly lateMs: readonly number[];
  readonly uses: number;
  readonly open: number;
}

const AFTER_MS = 2_000;

/** Uses keys continuously through the caches of two gateways while each is revoked. */
async function revokeUnderLoad(host: HostedAccount, total: number, random: () => number): Promise<Revocations> {
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

const REVOCATIONS = 100;
const LATE_MS_MAX = 1_000;
/** One junk key in this many is well formed and so looked up. */
const WELL_FORMED_EVERY = 100;
const VERIFY_METHOD = /method="\/marketstate\.account\.v1\.KeyService\/VerifyKey"/;

export const keySuite: Suite = {
  id: 'keys',
  claim:
    `no junk key is accepted, one with a bad checksum costs no query, and ${REVOCATIONS} keys revoked under load ` +
    `are rejected within 1 s`,
  budget: { default: 1_000_000, counts: 'junk keys' },
  short: { seed: 1, budget: 5_000, inTime: true },
  run: verifyKeys,
};

async function verifyKeys({ closer, report, random, budget, say }: SuiteContext): Promise<void> {
  const stores = await openPrivateStores(closer, 'account');
  const host = await hostAccount(closer, stores.postgresUrl('account'));
  const junk = await tryJunk(host, budget, random);
  say(`${budget} junk keys tried`);
  const revocations = await revokeUnderLoad(host, REVOCATIONS, random);
  const latestMs = Math.max(...revocations.lateMs);

  report.check(junk.accepted === 0, `${junk.accepted} junk keys were accepted`);
  report.check(junk.looked === junk.wellFormed, `${junk.looked} lookups for ${junk.wellFormed} keys with a good checksum`);
  report.check(revocations.open === 0, `${revocations.open} revoked keys are still accepted`);
  report.checkTime(latestMs <= LATE_MS_MAX, `a revoked key was accepted ${Math.round(latestMs)} ms later`);
  report.figure('junk keys tried, accepted', `${budget}, ${junk.accepted}`);
  report.figure('lookups: of keys with a good checksum, of others', `${junk.wellFormed}, ${junk.looked - junk.wellFormed}`);
  report.figure('revocations, uses of keys during them', `${REVOCATIONS}, ${revocations.uses}`);
  report.figure('latest success after a revocation, ms', rounded(latestMs));
}

async function tryJunk(
  host: HostedAccount,
  total: number,
  random: () => number,
): Promise<{ accepted: number; wellFormed: number; looked: number }> {
  const { key } = await host.keys.issueKey(orderFor('junk'));
  const cache = await createKeyCache(host.keys);
  const lookUps = async (): Promise<number> => (await host.metrics()).sum('grpc_server_handling_seconds_count', VERIFY_METHOD);
  const before = await lookUps();
  let accepted = 0;
  let wellFormed = 0;
  for (let index = 0; index < total; index += 1) {
    const isWellFormed = index % WELL_FORMED_EVERY === 0;
    if (isWellFormed) wellFormed += 1;
    if (await cache.opens(isWellFormed ? unknownKey(random) : junkKey(random, key))) accepted += 1;
  }
  const looked = (await lookUps()) - before;
  await cache.close();
  return { accepted, wellFormed, looked };
}
