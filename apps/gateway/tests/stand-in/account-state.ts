import { createHash, randomBytes } from 'node:crypto';
import { account } from '@market-state/contracts';
import { displayParts, formatKey, KEY_RANDOM_SIZE_BYTES, keyDigest, type KeyKind } from '@market-state/credentials';
import { type Broadcast, createBroadcast } from './broadcast';

/** Default plan of every tenant. */
export const STAND_IN_PLAN: account.Plan = { planId: 'public_pro', ratePerSecond: 10_000, burst: 10_000 };

export const STAND_IN_TERMS: account.PlanTerms = {
  marketStateCredits: 1_000_000,
  exportCredits: 5_000,
  creditPeriod: account.CreditPeriod.MONTH,
  renewsTsMs: 1_800_000_000_000,
  endsTsMs: 0,
};

/** Password of every seeded account. */
export const SEEDED_PASSWORD = 'correct horse battery';

export interface StoredKey {
  readonly key: string;
  readonly tenantId: string;
  grant: account.KeyGrant;
  record: account.KeyRecord;
}

export interface StoredAccount {
  readonly accountId: string;
  readonly tenantId: string;
  readonly email: string;
  readonly role: account.MemberRole;
  password: string;
}

/** In-memory state of the stand-in account service. */
export interface AccountState {
  /** Keyed by hex digest. */
  readonly keys: Map<string, StoredKey>;
  readonly accounts: Map<string, StoredAccount>;
  /** Account and expiry by the session's hex digest. */
  readonly sessions: Map<string, { readonly account: StoredAccount; readonly expiresTsMs: number }>;
  readonly events: (account.AccountEvent & { readonly tenantId: string })[];
  readonly disabledTenants: Set<string>;
  readonly changes: Broadcast<account.WatchKeysResponse>;
  readonly now: () => number;
  addKey(tenantId: string, kind: KeyKind, grant: Partial<account.KeyGrant>, name: string): StoredKey;
  /** Replaces an account with the same email. Default role owner, with the seeded password. */
  addAccount(tenantId: string, email: string, role?: account.MemberRole, password?: string): StoredAccount;
  endKey(digest: Buffer): void;
  openSession(of: StoredAccount, secret?: string): account.SessionOpened;
  endSession(digestHex: string): void;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

export function newKey(kind: KeyKind): string {
  return formatKey(kind, randomBytes(KEY_RANDOM_SIZE_BYTES));
}

export function createAccountState(now: () => number): AccountState {
  const keys = new Map<string, StoredKey>();
  const accounts = new Map<string, StoredAccount>();
  const sessions: AccountState['sessions'] = new Map();
  const changes = createBroadcast<account.WatchKeysResponse>();
  let made = 0;
  let madeAccounts = 0;
  return {
    keys,
    accounts,
    sessions,
    events: [],
    disabledTenants: new Set(),
    changes,
    now,
    addKey(tenantId, kind, grant, name) {
      made += 1;
      const key = newKey(kind);
      const whole: account.KeyGrant = {
        keyId: `key_${made}`,
        tenantId,
        kind: kind === 'live' ? account.KeyKind.LIVE : account.KeyKind.TEST,
        scopes: [account.Scope.READ],
        expiresTsMs: 0,
        plan: STAND_IN_PLAN,
        hasCreditCeiling: false,
        ...grant,
      };
      const { first, last } = displayParts(key);
      const record: account.KeyRecord = {
        keyId: whole.keyId,
        name,
        kind: whole.kind,
        scopes: whole.scopes,
        displayFirst: first,
        displayLast: last,
        createdTsMs: now(),
        expiresTsMs: whole.expiresTsMs,
        revokedTsMs: 0,
        lastUsedTsMs: 0,
      };
      const stored = { key, tenantId, grant: whole, record };
      keys.set(keyDigest(key).toString('hex'), stored);
      return stored;
    },
    addAccount(tenantId, email, role = account.MemberRole.OWNER, password = SEEDED_PASSWORD) {
      madeAccounts += 1;
      const stored = { accountId: `acc_${madeAccounts}`, tenantId, email, role, password };
      accounts.set(email, stored);
      return stored;
    },
    endKey(digest) {
      const stored = keys.get(digest.toString('hex'));
      if (stored !== undefined) stored.record = { ...stored.record, revokedTsMs: now() };
      changes.send({ message: { $case: 'changed', value: { keyId: stored?.record.keyId ?? '', keyDigest: digest } } });
    },
    openSession(of, session = randomBytes(32).toString('base64url')) {
      const expiresTsMs = now() + 86_400_000;
      sessions.set(sha256(session).toString('hex'), { account: of, expiresTsMs });
      return {
        session,
        terms: STAND_IN_TERMS,
        grant: {
          accountId: of.accountId,
          tenantId: of.tenantId,
          plan: STAND_IN_PLAN,
          expiresTsMs,
          idleTsMs: now() + 7_200_000,
          role: of.role,
        },
      };
    },
    endSession(digestHex) {
      sessions.delete(digestHex);
      changes.send({ message: { $case: 'sessionEnded', value: { sessionDigest: Buffer.from(digestHex, 'hex') } } });
    },
  };
}
