import { openPrivateStores, rounded } from '@market-state/testing';
import { hostAccount, type HostedAccount, orderFor, type Suite, type SuiteContext } from '../harness';
import { junkKey, unknownKey } from './junk-key';
import { createKeyCache } from './key-cache';
import { revokeUnderLoad } from './revocations';

const REVOCATIONS = 100;
const LATE_MS_MAX = 1_000;
/** Of so many junk keys one is well formed, so that it is looked up. */
const WELL_FORMED_EVERY = 100;
const VERIFY_METHOD = /method="\/marketstate\.account\.v1\.KeyService\/VerifyKey"/;

/** Tries keys that nobody was given, and uses keys while they are revoked. */
export const keySuite: Suite = {
  id: 'keys',
  claim:
    `no junk key opens anything, one with a bad checksum costs no query, and ${REVOCATIONS} keys revoked under load ` +
    `stop opening within 1 s`,
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
  report.check(junk.looked === junk.wellFormed, `${junk.looked} look-ups for ${junk.wellFormed} keys with a good checksum`);
  report.check(revocations.open === 0, `${revocations.open} revoked keys still open`);
  report.checkTime(latestMs <= LATE_MS_MAX, `a revoked key opened ${Math.round(latestMs)} ms later`);
  report.figure('junk keys tried, accepted', `${budget}, ${junk.accepted}`);
  report.figure('look-ups: of keys with a good checksum, of others', `${junk.wellFormed}, ${junk.looked - junk.wellFormed}`);
  report.figure('revocations, uses of keys meanwhile', `${REVOCATIONS}, ${revocations.uses}`);
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
