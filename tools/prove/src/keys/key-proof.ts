import { account } from '@market-state/contracts';
import { type AccountHost, startAccountStores } from '../accounts/host-account';
import type { Proof, ProofContext, ProofResult } from '../proof';
import { createRandom } from '../random';
import { junkKey, unknownKey } from './junk-key';
import { createKeyCache } from './key-cache';
import { revokeUnderLoad } from './revocations';

const REVOCATIONS = 100;
const LATE_MS_MAX = 1_000;
/** Of so many junk keys one is well formed, so that it is looked up. */
const WELL_FORMED_EVERY = 100;
const VERIFY_METHOD = 'method="/marketstate.account.v1.KeyService/VerifyKey"';

/** Tries keys that nobody was given, and uses keys while they are revoked. */
export const keyProof: Proof = {
  id: 'keys',
  claim:
    `no junk key opens anything, one with a bad checksum costs no query, and ${REVOCATIONS} keys revoked under load ` +
    `stop opening within 1 s`,
  budget: { default: 1_000_000, counts: 'junk keys' },
  run: (context) => proveKeys(context),
};

async function proveKeys({ seed, budget, say }: ProofContext): Promise<ProofResult> {
  const stores = await startAccountStores();
  const host = await stores.host();
  const random = createRandom(seed);
  try {
    const junk = await tryJunk(host, budget, random);
    say(`${budget} junk keys tried`);
    const revocations = await revokeUnderLoad(host, REVOCATIONS, random);
    const latestMs = Math.max(...revocations.lateMs);
    return {
      failures: [
        ...(junk.accepted === 0 ? [] : [`${junk.accepted} junk keys were accepted`]),
        ...(junk.looked === junk.wellFormed ? [] : [`${junk.looked} look-ups for ${junk.wellFormed} keys with a good checksum`]),
        ...(revocations.open === 0 ? [] : [`${revocations.open} revoked keys still open`]),
      ],
      timing: latestMs <= LATE_MS_MAX ? [] : [`a revoked key opened ${Math.round(latestMs)} ms later`],
      figures: [
        ['junk keys tried, accepted', `${budget}, ${junk.accepted}`],
        ['look-ups: of keys with a good checksum, of others', `${junk.wellFormed}, ${junk.looked - junk.wellFormed}`],
        ['revocations, uses of keys meanwhile', `${REVOCATIONS}, ${revocations.uses}`],
        ['latest success after a revocation, ms', Math.round(latestMs * 10) / 10],
      ],
    };
  } finally {
    await host.close();
    await stores.close();
  }
}

async function tryJunk(
  host: AccountHost,
  total: number,
  random: () => number,
): Promise<{ accepted: number; wellFormed: number; looked: number }> {
  const { key } = await host.keys.issueKey({
    tenantName: 'junk',
    kind: account.KeyKind.LIVE,
    scopes: [account.Scope.READ],
    expiresTsMs: 0,
  });
  const cache = await createKeyCache(host.keys);
  const before = await host.metric('grpc_server_handling_seconds_count', VERIFY_METHOD);
  let accepted = 0;
  let wellFormed = 0;
  for (let index = 0; index < total; index += 1) {
    const isWellFormed = index % WELL_FORMED_EVERY === 0;
    if (isWellFormed) wellFormed += 1;
    if (await cache.opens(isWellFormed ? unknownKey(random) : junkKey(random, key))) accepted += 1;
  }
  const looked = (await host.metric('grpc_server_handling_seconds_count', VERIFY_METHOD)) - before;
  await cache.close();
  return { accepted, wellFormed, looked };
}
