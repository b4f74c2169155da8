import type { account } from '@market-state/contracts';
import { secretDigest } from '@market-state/credentials';
import { type AccountUnderTest, type Changed, startAccountUnderTest } from './account-under-test';

export const password = ' a quiet river 81 ';
/** Address at which accounts were claimed. */
export const home = '203.0.113.1';

/** Limits for a file whose tests claim an account each. */
export const MANY_CLAIMS: Changed['limits'] = { trial: { max: 100, windowMs: 1 }, trialTotal: { max: 1_000, windowMs: 1 } };

/** Digest of an opened session's secret. */
export const digestOf = (opened: account.SessionOpened | undefined): Buffer => Buffer.from(secretDigest(opened?.session ?? ''));

/** `done`, the type of the first fault, or the reason of the refusal. */
export const outcomeOf = (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    () => 'done',
    (error: { readonly reason: string; readonly faults?: readonly { readonly type: string }[] }) => error.faults?.[0]?.type ?? error.reason,
  );

/** Each test has its own account. */
export interface LoginsUnderTest {
  readonly service: AccountUnderTest;
  readonly email: string;
  readonly accountId: string;
  login(part?: Partial<account.LoginRequest>, deadlineMs?: number): Promise<account.LoginResponse>;
  /** `in`, or the reason of the refusal. */
  outcome(part: Partial<account.LoginRequest>): Promise<string>;
  /** Passwords hashed so far. */
  hashes(): Promise<number>;
}

export function elsewhere(index: number): string {
  return `198.51.${index >> 8}.${index & 255}`;
}

/** Starts the service for a test file. Each test has its own account and day, so earlier attempts do not count. */
export function testLogins(use: (under: LoginsUnderTest) => void, changed: Changed = {}): void {
  let service: AccountUnderTest;
  let owners = 0;
  beforeAll(async () => {
    service = await startAccountUnderTest(changed);
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    owners += 1;
    const email = `Owner-${owners}@Example.org`;
    service.clock.aheadMs += 25 * 3_600_000;
    const { opened } = await service.accounts.call.claim({ email, password, apiKey: '', claimToken: '', address: home });
    const login = (part: Partial<account.LoginRequest> = {}, deadlineMs = 30_000) =>
      service.accounts.call.login({ email, password, address: home, ...part }, { deadlineMs });
    use({
      service,
      email,
      accountId: opened?.grant?.accountId ?? '',
      login,
      outcome: (part) =>
        login(part).then(
          () => 'in',
          (error: { reason?: string }) => error.reason ?? 'unknown',
        ),
      async hashes() {
        const text = await (await fetch(`http://127.0.0.1:${service.server.opsPort}/metrics`)).text();
        return Number(/^account_password_hashes_total\S* (\d+)$/m.exec(text)?.[1]);
      },
    });
  });
}
