import { randomBytes } from 'node:crypto';
import { createClaimToken } from '@market-state/account';
import { account } from '@market-state/contracts';
import type { Proof, ProofContext, ProofResult } from '../proof';
import { type AccountHost, type AccountStores, startAccountStores } from './host-account';
import { timeAnswers, type TimedAnswers, type TimedEmails } from './timed-answers';

const USES = 200;
/** As many passwords as may be worked on and wait. */
const AT_ONCE = 68;
const HASHES_MAX = 100;
const APART_MS_MAX = 5;
const DAY_MS = 86_400_000;
const NO_LIMIT = { max: 1_000_000, windowMs: DAY_MS };
const password = 'a quiet river 81';

/** Attacks accounts: by the time that a login and a claim take, by using a token over and over, by guessing. */
export const accountProof: Proof = {
  id: 'accounts',
  claim:
    `the time of a login, and of a claim that waits for its email, does not tell whether the email has an account, a claim token ` +
    `used ${USES} times at once makes one account, and guesses of a password are worked on at most ${HASHES_MAX} times an hour`,
  budget: { default: 500, counts: 'timed logins of each kind, and claims; twice as many guesses' },
  run: (context) => proveAccounts(context),
};

async function proveAccounts({ budget, say }: ProofContext): Promise<ProofResult> {
  const stores = await startAccountStores();
  const unlimited = await stores.host({ loginPair: NO_LIMIT, loginAccount: NO_LIMIT, address: [NO_LIMIT], trial: NO_LIMIT });
  const host = await stores.host();
  const verifying = await stores.host(
    { claimAddress: NO_LIMIT, claimEmail: [NO_LIMIT], claimMailTotal: NO_LIMIT, trial: NO_LIMIT, trialTotal: NO_LIMIT },
    { ACCOUNT_VERIFICATION: 'required' },
  );
  try {
    const email = 'someone-known@example.org';
    await unlimited.accounts.claim({ email, password, apiKey: '', claimToken: '', address: '10.0.0.1' });
    const nobodies: TimedEmails = {
      known: email,
      unknown: (index) => `x${String(index).padStart(email.indexOf('@') - 1, '0')}${email.slice(email.indexOf('@'))}`,
    };
    const logins = await timeAnswers(budget, nobodies, (tried, address) =>
      unlimited.accounts.login({ email: tried, password: 'not the password', address }),
    );
    say(`${budget} + ${budget} logins timed`);
    const beforeClaims = await verifying.metric('account_password_hashes_total');
    const claims = await timeAnswers(budget, { known: email, unknown: () => nobodies.unknown(0) }, (tried, address) =>
      verifying.accounts.claim({ email: tried, password, apiKey: '', claimToken: '', address }),
    );
    const claimHashes = (await verifying.metric('account_password_hashes_total')) - beforeClaims;
    say(`${budget} + ${budget} claims timed`);
    const accountsMade = await useOneToken(stores, unlimited);
    say(`${USES} uses of one claim token`);
    const guessed = await guess(host, budget * 2);
    return {
      failures: [
        ...(logins.different === 0 ? [] : [`${logins.different} answers to logins tell whether the email has an account`]),
        ...(claims.different === 0 ? [] : [`${claims.different} answers to claims tell whether the email has an account`]),
        ...(claimHashes === 0 ? [] : [`${claimHashes} passwords were hashed for claims that wait for their email`]),
        ...(accountsMade === 1 ? [] : [`one claim token made ${accountsMade} accounts`]),
        ...(guessed.hashes <= HASHES_MAX ? [] : [`${guessed.hashes} of ${budget * 2} guesses were worked on`]),
        ...(guessed.ownerGetsIn ? [] : ['the owner was locked out by the guesses']),
      ],
      timing: [...tooFarApart('logins', logins), ...tooFarApart('claims', claims)],
      figures: [
        ['median of a refused login, ms: known, unknown email', mediansOf(logins)],
        ['median of a claim that waits for its email, ms: known, unknown email', mediansOf(claims)],
        ['uses of one claim token, accounts made', `${USES}, ${accountsMade}`],
        ['guesses, passwords worked on', `${budget * 2}, ${guessed.hashes}`],
      ],
    };
  } finally {
    await host.close();
    await verifying.close();
    await unlimited.close();
    await stores.close();
  }
}

function tooFarApart(what: string, { knownMs, unknownMs }: TimedAnswers): string[] {
  const apartMs = Math.abs(knownMs - unknownMs);
  return apartMs <= APART_MS_MAX ? [] : [`the medians of ${what} with known and unknown emails are ${apartMs.toFixed(2)} ms apart`];
}

function mediansOf({ knownMs, unknownMs }: TimedAnswers): string {
  return `${knownMs.toFixed(2)}, ${unknownMs.toFixed(2)}`;
}

async function useOneToken({ pool }: AccountStores, { accounts, keys }: AccountHost): Promise<number> {
  const { tenantId } = await keys.issueKey({
    tenantName: 'one token',
    kind: account.KeyKind.LIVE,
    scopes: [account.Scope.READ],
    expiresTsMs: 0,
  });
  const token = await createClaimToken(pool, tenantId, { clock: Date.now, randomBytes });
  const uses = Array.from({ length: USES }, (_, index) => index);
  let made = 0;

  async function use(): Promise<void> {
    for (let index = uses.shift(); index !== undefined; index = uses.shift()) {
      const request = {
        email: `user-${index}@example.net`,
        password,
        apiKey: '',
        claimToken: token?.claimToken ?? '',
        address: `10.2.0.${index}`,
      };
      await accounts.claim(request, { deadlineMs: 60_000 }).then(() => (made += 1), refusedOnly);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, use));
  return made;
}

/** Any other failure is a fault of the proof. */
function refusedOnly(error: { reason?: string }): void {
  if (error.reason !== 'claim_refused') throw error;
}

/** Guesses from a quarter as many addresses, forty at once; then the owner logs in from where the account was made. */
async function guess(host: AccountHost, total: number): Promise<{ hashes: number; ownerGetsIn: boolean }> {
  const email = 'guessed@example.org';
  const home = '10.0.0.2';
  await host.accounts.claim({ email, password, apiKey: '', claimToken: '', address: home });
  const before = await host.metric('account_password_hashes_total');
  for (let done = 0; done < total; done += 40) {
    await Promise.all(
      Array.from({ length: Math.min(40, total - done) }, (_, index) => {
        const attacker = Math.floor((done + index) / 4);
        return host.accounts
          .login({ email, password: `guess ${done + index}`, address: `10.3.${attacker >> 8}.${attacker & 255}` }, { deadlineMs: 30_000 })
          .catch(() => undefined);
      }),
    );
  }
  const hashes = (await host.metric('account_password_hashes_total')) - before;
  const owner = await host.accounts.login({ email, password, address: home }).catch(() => null);
  return { hashes, ownerGetsIn: owner !== null };
}
