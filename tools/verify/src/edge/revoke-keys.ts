import { type Answer, atOnce, type Caller, ifNoAnswer, oneOf, openCaller, percentile, rounded, shuffle } from '@market-state/testing';
import { firstOf, type SuiteContext, type Report } from '../harness';
import { openEdge, type Market, KEYS, LATEST, TRADES } from './edge';

const GATEWAYS = 2;
const CONNECTIONS = 24;
const KEYS_A_TENANT = 18;
const LATE_MS_MAX = 1_000;
/** Use of the keys continues for this long after the last revocation. */
const AFTER_MS = 2_000;
const SHOWN_MAX = 10;

/** Status for an invalid key: 401, or 429 once its address was refused too often for another lookup. */
const REFUSALS: ReadonlySet<number> = new Set([401, 429]);

interface UsedKey {
  readonly key: string;
  /** Its own loopback address: refusals count per address, and one key's must not block another. */
  readonly from: string;
  readonly keyId: string;
  /** Key of the same tenant that revokes it. */
  readonly manager: string;
  revokingMs: number;
  revokedMs: number;
  /** Send time of the last accepted call, and receive time of the first refusal, by gateway. */
  readonly lastGoodMs: number[];
  readonly firstRefusedMs: number[];
}

export async function revokeKeys({ closer, report, random, budget: revocations }: SuiteContext, market: Market): Promise<void> {
  const edge = await openEdge(closer, market, { gateways: GATEWAYS, random });
  const call = openCaller(closer, CONNECTIONS + 1);
  await edge.ready();
  const urls = edge.gateways.map(({ url }) => url);
  const managers = await atOnce(Math.ceil(revocations / KEYS_A_TENANT), (at) =>
    edge.tenants.create({ name: `revoked ${at}`, planId: 'enterprise', marketStateCredits: 1_000_000 }),
  );
  const keys: UsedKey[] = [];
  for (let at = 0; at < revocations; at += 1)
    keys.push(await makeKey(call, urls[at % GATEWAYS] ?? '', managers[at % managers.length]?.key ?? '', addressOf(USED, at)));
  const load = startLoad(call, urls, keys, random);
  closer.add('load', () => load.stop().then(() => undefined));
  for (const [at, used] of shuffle(keys, random).entries()) {
    await load.until(() => used.lastGoodMs.every((ms) => ms > 0));
    used.revokingMs = performance.now();
    load.turnTo(used);
    const revoked = await call(`${urls[at % GATEWAYS] ?? ''}${KEYS}/${used.keyId}`, { key: used.manager, method: 'DELETE' });
    if (revoked.status !== 200) throw new Error(`a key was not revoked: ${revoked.status} ${revoked.text}`);
    used.revokedMs = revoked.endMs;
    await load.until(() => used.firstRefusedMs.every((ms) => ms > 0));
  }
  const afterMs = performance.now() + AFTER_MS;
  await load.until(() => performance.now() > afterMs);
  const { uses, strange } = await load.stop();
  const refusals = new Set<string>();
  // Addresses without earlier refusals, so that each key is looked up.
  for (const [at, { key }] of keys.entries())
    for (const url of urls) refusals.add(refusalOf(await call(`${url}${LATEST}`, { key, from: addressOf(ASKED_LAST, at) })));
  judge(report, keys, uses, strange, [...refusals]);
}

/** Blocks of loopback addresses, a /16 each. */
const [USED, ASKED_LAST] = [7, 8];

function addressOf(block: number, at: number): string {
  return `127.${block}.${Math.floor(at / 250)}.${(at % 250) + 1}`;
}

async function makeKey(call: Caller, url: string, manager: string, from: string): Promise<UsedKey> {
  const made = await call(`${url}${KEYS}`, { key: manager, method: 'POST', body: { name: 'to be revoked', scopes: ['read'] } });
  if (made.status !== 200) throw new Error(`a key was not created: ${made.status} ${made.text}`);
  const { key, record } = JSON.parse(made.text) as { key: string; record: { key_id: string } };
  return {
    key,
    from,
    keyId: record.key_id,
    manager,
    revokingMs: Number.POSITIVE_INFINITY,
    revokedMs: Number.POSITIVE_INFINITY,
    lastGoodMs: Array<number>(GATEWAYS).fill(0),
    firstRefusedMs: Array<number>(GATEWAYS).fill(0),
  };
}

function startLoad(call: Caller, urls: readonly string[], keys: readonly UsedKey[], random: () => number) {
  const strange: string[] = [];
  const waiting = new Set<{ readonly isDone: () => boolean; readonly resolve: () => void }>();
  let current: UsedKey | undefined;
  let uses = 0;
  let stopped = false;

  function note(used: UsedKey, at: number, answer: Answer): void {
    uses += 1;
    const { status, sentMs, endMs } = answer;
    const refusedMs = used.firstRefusedMs[at] ?? 0;
    if (status === 200) {
      used.lastGoodMs[at] = Math.max(used.lastGoodMs[at] ?? 0, sentMs);
      if (refusedMs > 0 && sentMs > refusedMs)
        strange.push(
          `Key ${used.keyId} was accepted again at gateway ${at + 1}, ${Math.round(sentMs - refusedMs)} ms after it was refused there.`,
        );
    } else if (REFUSALS.has(status) && used === current && refusedMs === 0 && endMs >= used.revokingMs) used.firstRefusedMs[at] = endMs;
    else if (!REFUSALS.has(status) || endMs < used.revokingMs)
      strange.push(`Key ${used.keyId} got ${status} at gateway ${at + 1}: ${answer.text}`);
    for (const entry of waiting) if (entry.isDone()) entry.resolve();
  }

  async function use(): Promise<void> {
    while (!stopped) {
      const used = current !== undefined && random() < 0.5 ? current : oneOf(keys, random);
      const at = Math.floor(random() * urls.length);
      if (used === undefined) return;
      const path = random() < 0.8 ? LATEST : `${TRADES}&limit=1`;
      const answer = await call(`${urls[at] ?? ''}${path}`, { key: used.key, from: used.from }).catch(ifNoAnswer);
      if (answer !== null) note(used, at, answer);
    }
  }

  const running = atOnce(CONNECTIONS, use);
  return {
    turnTo(used: UsedKey) {
      current = used;
    },
    async until(isDone: () => boolean): Promise<void> {
      if (isDone()) return;
      let entry: { readonly isDone: () => boolean; readonly resolve: () => void } | undefined;
      const done = new Promise<void>((resolve) => waiting.add((entry = { isDone, resolve })));
      await Promise.race([done, running]);
      if (entry !== undefined) waiting.delete(entry);
    },
    async stop() {
      stopped = true;
      await running;
      return { uses, strange };
    },
  };
}

function refusalOf({ status, text, headers }: Answer): string {
  const same = Object.entries(headers).filter(([name]) => name !== 'date' && name !== 'x-request-id');
  return JSON.stringify([status, text.replace(/"request_id":"[^"]+"/, ''), same]);
}

function judge(report: Report, keys: readonly UsedKey[], uses: number, strange: readonly string[], refused: readonly string[]): void {
  const lateMs = keys.flatMap(({ revokedMs, lastGoodMs }) => lastGoodMs.map((ms) => Math.max(0, ms - revokedMs)));
  const latestMs = Math.max(0, ...lateMs);
  report.fail(...firstOf(strange, SHOWN_MAX));
  report.check(
    refused.length === 1 && refused[0]?.startsWith('[401,') === true,
    `Revoked keys were refused in ${refused.length} different ways: ${refused.join(' and ')}`,
  );
  report.checkTime(
    latestMs <= LATE_MS_MAX,
    `A revoked key was accepted for a call sent ${Math.round(latestMs)} ms after its revocation was answered.`,
  );
  report.figure('revocations, gateways, connections, calls during them', `${keys.length}, ${GATEWAYS}, ${CONNECTIONS}, ${uses}`);
  report.figure(
    'last accepted call, sent after its revocation was answered, ms: median, latest',
    `${rounded(percentile(lateMs, 0.5))}, ${rounded(latestMs)}`,
  );
}
