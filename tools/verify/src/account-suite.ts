import { setTimeout as delay } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import { createClaimToken } from '@market-state/account';
import type { Pool } from 'pg';
import { atOnce, openPrivateStores, percentile } from '@market-state/testing';
import { hostAccount, type HostedAccount, openPool, orderFor, type Suite, type SuiteContext } from './harness';

interface TimedAnswers {
  readonly knownMs: number;
  readonly unknownMs: number;
  readonly different: number;
}

interface TimedEmails {
  readonly known: string;
  unknown(index: number): string;
}

/** Alternates requests for an email with an account and one without; each pair comes from its own address. */
async function timeAnswers(
  total: number,
  emails: TimedEmails,
  send: (email: string, address: string) => Promise<unknown>,
): Promise<TimedAnswers> {
  const knownMs: number[] = [];
  const unknownMs: number[] = [];
  let different = 0;

  async function timed(times: number[], email: string, index: number): Promise<string> {
    const startedMs = performance.now();
    const answer = await send(email, `10.1.${index >> 8}.${index & 255}`).catch((error: unknown) => error);
    times.push(performance.now() - startedMs);
    return JSON.stringify(answer) + String(answer);
  }

  for (let index = 0; index < total; index += 1) {
    const turns = [() => timed(knownMs, emails.known, index), () => timed(unknownMs, emails.unknown(index), index)];
    if (index % 2 === 1) turns.reverse();
    const answers = [await turns[0]?.(), await turns[1]?.()];
    if (answers[0] !== answers[1]) different += 1;
  }
  return { knownMs: percentile(knownMs, 0.5), unknownMs: percentile(unknownMs, 0.5), different };
}

const USES = 200;
const AT_ONCE = 68;
const GUESSES_AT_ONCE = 40;
/** Claims from unknown addresses: 64 passwords at once, then 8 a second. */
const BUSY_MS = 1_000;
const HASHES_MAX = 100;
const APART_MS_MAX = 5;
const DAY_MS = 86_400_000;
const NO_LIMIT = { max: 1_000_000, windowMs: DAY_MS };
const password = 'a quiet river 81';

export const accountSuite: Suite = {
  id: 'accounts',
  claim:
    `response times of logins and pending claims do not reveal whether an email has an account, a claim token ` +
    `used ${USES} times concurrently creates one account, and at most ${HASHES_MAX} password guesses an hour are hashed`,
  budget: { default: 500, counts: 'logins of each kind and claims to time; twice as many guesses' },
  short: { seed: 1, budget: 25 },
  run: verifyAccounts,
};

async function verifyAccounts({ closer, report, budget, say }: SuiteContext): Promise<void> {
  const url = (await openPrivateStores(closer, 'account')).postgresUrl('account');
  const pool = openPool(closer, url);
  const unlimited = await hostAccount(closer, url, {
    limits: { loginPair: NO_LIMIT, loginAccount: NO_LIMIT, address: [NO_LIMIT], trial: NO_LIMIT },
  });
  const limited = await hostAccount(closer, url);
  const verifying = await hostAccount(closer, url, {
    limits: { claimAddress: NO_LIMIT, claimEmail: [NO_LIMIT], claimMailTotal: NO_LIMIT, trial: NO_LIMIT, trialTotal: NO_LIMIT },
    env: { ACCOUNT_VERIFICATION: 'required' },
  });

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
  const beforeClaims = await hashesOf(verifying);
  const claims = await timeAnswers(budget, { known: email, unknown: () => nobodies.unknown(0) }, (tried, address) =>
    verifying.accounts.claim({ email: tried, password, apiKey: '', claimToken: '', address }),
  );
  const claimHashes = (await hashesOf(verifying)) - beforeClaims;
  say(`${budget} + ${budget} claims timed`);
  const accountsMade = await useOneToken(pool, unlimited);
  say(`${USES} uses of one claim token`);
  const guessed = await guess(limited, budget * 2);

  report.check(logins.different === 0, `${logins.different} login answers reveal whether the email has an account`);
  report.check(claims.different === 0, `${claims.different} claim answers reveal whether the email has an account`);
  report.check(claimHashes === 0, `${claimHashes} passwords were hashed for claims still waiting for their email`);
  report.check(accountsMade === 1, `one claim token created ${accountsMade} accounts`);
  report.check(guessed.hashes <= HASHES_MAX, `${guessed.hashes} of ${budget * 2} guesses were hashed`);
  report.check(guessed.ownerGetsIn, 'the owner was locked out by the guesses');
  for (const [what, answers] of Object.entries({ logins, claims })) {
    const apartMs = Math.abs(answers.knownMs - answers.unknownMs);
    report.checkTime(
      apartMs <= APART_MS_MAX,
      `the median times of ${what} with known and unknown emails differ by ${apartMs.toFixed(2)} ms`,
    );
  }
  report.figure('refused login, median ms: known, unknown email', mediansOf(logins));
  report.figure('pending claim, median ms: known, unknown email', mediansOf(claims));
  report.figure('uses of one claim token, accounts created', `${USES}, ${accountsMade}`);
  report.figure('guesses, passwords hashed', `${budget * 2}, ${guessed.hashes}`);
}

function mediansOf({ knownMs, unknownMs }: TimedAnswers): string {
  return `${knownMs.toFixed(2)}, ${unknownMs.toFixed(2)}`;
}

async function hashesOf(host: HostedAccount): Promise<number> {
  return (await host.metrics()).sum('account_password_hashes_total');
}

async function useOneToken(pool: Pool, { accounts, keys }: HostedAccount): Promise<number> {
  const { tenantId } = await keys.issueKey(orderFor('one token'));
  const token = await createClaimToken(pool, tenantId, { clock: Date.now, randomBytes });
  let used = 0;
  let made = 0;
  await atOnce(AT_ONCE, async () => {
    while (used < USES) {
      const index = used++;
      const request = {
        email: `user-${index}@example.net`,
        password,
        apiKey: '',
        claimToken: token?.claimToken ?? '',
        address: `10.2.0.${index}`,
      };
      if (await claimed(() => accounts.claim(request, { deadlineMs: 60_000 }))) made += 1;
    }
  });
  return made;
}

/** False if the claim was refused; one that has to wait for others' passwords is sent again. Other errors are bugs in the suite. */
async function claimed(claim: () => Promise<unknown>): Promise<boolean> {
  for (;;)
    try {
      await claim();
      return true;
    } catch (error) {
      const { reason } = error as { readonly reason?: string };
      if (reason === 'claim_refused') return false;
      if (reason !== 'password_work_full') throw error;
      await delay(BUSY_MS);
    }
}

/**
 * Guesses come from a quarter as many addresses, forty at a time; then the owner logs in from the address that created
 * the account.
 */
async function guess(host: HostedAccount, total: number): Promise<{ hashes: number; ownerGetsIn: boolean }> {
  const email = 'guessed@example.org';
  const home = '10.0.0.2';
  await host.accounts.claim({ email, password, apiKey: '', claimToken: '', address: home });
  const before = await hashesOf(host);
  for (let done = 0; done < total; done += GUESSES_AT_ONCE) {
    await atOnce(Math.min(GUESSES_AT_ONCE, total - done), (index) => {
      const attacker = Math.floor((done + index) / 4);
      return host.accounts
        .login({ email, password: `guess ${done + index}`, address: `10.3.${attacker >> 8}.${attacker & 255}` }, { deadlineMs: 30_000 })
        .catch(() => undefined);
    });
  }
  const hashes = (await hashesOf(host)) - before;
  const owner = await host.accounts.login({ email, password, address: home }).catch(() => null);
  return { hashes, ownerGetsIn: owner !== null };
}
