import { randomBytes } from 'node:crypto';
import { type Closer, repeatUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { createPool, type Listener } from '@market-state/postgres';
import type { Pool } from 'pg';
import type { Registry } from 'prom-client';
import { type AccountLimits, DEFAULT_LIMITS } from './accounts/limits';
import { createProvider } from './billing/create-provider';
import type { BillingProvider } from './billing/provider';
import type { AccountConfig } from './config';
import { createNotices, type Credits, keepSummingBalances, keepSweeping as keepSweepingCredits, watchLedger } from './credits';
import { type AnswerSeal, createAnswerSeal } from './idempotency/answer-seal';
import { sweepCalls } from './idempotency/calls';
import { createKeyWatch, type KeyWatch } from './keys/key-watch';
import { createLastUsed, type LastUsed } from './keys/last-used';
import { dropUntaken, forgetOld } from './retention';
import { createKeyListener } from './store/key-listener';
import { writeLastUsed } from './store/keys';
import { foldReadDays } from './store/read-figures';

/** Most connections for work in transactions of our own. */
const POOL_MAX = 8;

/** Time between two sweeps of calls that carried an Idempotency-Key. */
const CALLS_SWEEP_INTERVAL_MS = 60_000;

const FORGET_INTERVAL_MS = 3_600_000;

/** Time between two looks for days whose reads can be added up. */
const FOLD_INTERVAL_MS = 600_000;

/** Time in which all of the ledger must be read, milliseconds. */
const AUDIT_MS_MAX = 600_000;

/** Everything the service is made of. */
export interface AccountDeps extends Credits {
  /** Of the service's own database; transactions go over one connection of it. */
  readonly pool: Pool;
  readonly limits: AccountLimits;
  readonly answerSeal: AnswerSeal;
  readonly provider: BillingProvider;
  readonly watch: KeyWatch;
  readonly listener: Listener;
  readonly lastUsed: LastUsed;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly logger: Logger;
}

/** What tests replace. */
export interface AccountOverrides {
  readonly clock?: () => number;
  readonly logger?: Logger;
  readonly limits?: Partial<AccountLimits>;
}

export interface BuildOptions {
  readonly config: AccountConfig;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly clock: () => number;
  readonly limits?: Partial<AccountLimits>;
}

/** Builds each thing once and registers its end with `closer`. */
export function buildDeps({ config, logger, registry, clock, limits: changed }: BuildOptions, closer: Closer): AccountDeps {
  const pool = createPool({ url: config.databaseUrl, logger, applicationName: 'account', max: POOL_MAX });
  closer.add('connections', () => pool.end());

  const sandboxKey = { ...DEFAULT_LIMITS.sandboxKey, max: config.sandboxKeysPerDay };
  const trial = { ...DEFAULT_LIMITS.trial, max: config.trialsPerAddress };
  const trialTotal = { ...DEFAULT_LIMITS.trialTotal, max: config.trialsPerDay };
  const claimMailTotal = { ...DEFAULT_LIMITS.claimMailTotal, max: config.claimMailsPerDay };
  const limits = { ...DEFAULT_LIMITS, sandboxKey, trial, trialTotal, claimMailTotal, ...changed };

  const lastUsed = createLastUsed({
    store: { writeLastUsed: (...use) => writeLastUsed(pool, ...use) },
    clock,
    onError: (error) => logger.warn({ err: error }, 'last use of a key not written'),
  });
  closer.add('last uses', () => lastUsed.drain());

  const watch = createKeyWatch();
  const listener = createKeyListener({
    databaseUrl: config.databaseUrl,
    logger,
    onListening: () => watch.begin(),
    onChange: (change) => watch.publish(change),
    onLost: () => watch.lose(),
  });
  closer.add('key listener', () => listener.close());

  const notices = createNotices(config.databaseUrl, logger);
  closer.add('credit notices', () => notices.close());

  const sweepingCredits = keepSweepingCredits({ pool, clock, logger });
  closer.add('sweep of credits', () => sweepingCredits.close());

  const summing = keepSummingBalances({ pool, clock, logger });
  closer.add('sums of balances', () => summing.close());

  const auditing = createPool({
    url: config.databaseUrl,
    logger,
    applicationName: 'account-audit',
    max: 1,
    statementTimeoutMs: AUDIT_MS_MAX,
  });
  closer.add('connection of audits', () => auditing.end());
  const ledgerWatch = watchLedger({ pool: auditing, registry, clock, logger });
  closer.add('ledger watch', () => ledgerWatch.close());

  const sweeping = repeatUntilClosed(() => sweepCalls({ pool, clock }), {
    intervalMs: CALLS_SWEEP_INTERVAL_MS,
    onError: (error) => logger.warn({ err: error }, 'idempotent calls not swept'),
  });
  closer.add('sweep of idempotent calls', () => sweeping.close());

  const forgetting = repeatUntilClosed(() => forgetOld(pool, clock()).then(() => dropUntaken(pool, clock(), logger)), {
    intervalMs: FORGET_INTERVAL_MS,
    onError: (error) => logger.warn({ err: error }, 'what is old was not forgotten'),
  });
  closer.add('forgetting', () => forgetting.close());

  const folding = repeatUntilClosed(() => foldReadDays(pool, clock()), {
    intervalMs: FOLD_INTERVAL_MS,
    onError: (error) => logger.warn({ err: error }, 'reads of days could not be added up'),
  });
  closer.add('days of reads', () => folding.close());

  const answerSeal = createAnswerSeal(config.answerSecret);
  const provider = createProvider(config.billing, config.publicBaseUrl, pool, clock);
  return { pool, notices, answerSeal, provider, limits, watch, listener, lastUsed, clock, randomBytes, logger };
}
