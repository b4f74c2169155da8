import { randomBytes } from 'node:crypto';
import type { Logger } from '@market-state/logging';
import type { Listener } from '@market-state/postgres';
import type { Service } from '@market-state/service';
import type { Pool } from 'pg';
import { type AccountLimits, DEFAULT_LIMITS } from './accounts/limits';
import { createProvider } from './billing/create-provider';
import type { BillingProvider } from './billing/provider';
import type { AccountConfig } from './config';
import { createNotices, type Credits } from './credits/credits';
import { sumBalances } from './credits/balance-history';
import { sweepCredits } from './credits/with-credit-ledger';
import { watchLedger } from './credits/ledger-audit';
import { sweepCalls } from './idempotent-calls';
import { createKeyWatch, type KeyWatch } from './keys/key-watch';
import { createLastUsed, type LastUsed } from './keys/last-used';
import { createSeal, type Seal } from './seal';
import { dropUnacknowledged, forgetOld } from './store/retention';
import { createKeyListener, writeLastUsed } from './store/keys';
import { foldReadDays } from './store/read-statistics';

const POOL_MAX = 8;

const CREDITS_SWEEP_INTERVAL_MS = 10_000;
const SUM_INTERVAL_MS = 300_000;

const CALLS_SWEEP_INTERVAL_MS = 60_000;

const FORGET_INTERVAL_MS = 3_600_000;

const FOLD_INTERVAL_MS = 600_000;

/** Statement timeout for reading the whole ledger. */
const AUDIT_MS_MAX = 600_000;

export interface AccountDeps extends Credits {
  readonly pool: Pool;
  readonly limits: AccountLimits;
  readonly answerSeal: Seal;
  readonly provider: BillingProvider;
  readonly watch: KeyWatch;
  readonly listener: Listener;
  readonly lastUsed: LastUsed;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly logger: Logger;
}

export interface AccountOverrides {
  readonly clock?: () => number;
  readonly logger?: Logger;
  readonly limits?: Partial<AccountLimits>;
}

/** Everything built here closes with the service. */
export function buildDeps(
  config: AccountConfig,
  { clock = Date.now, limits: changed }: Pick<AccountOverrides, 'clock' | 'limits'>,
  { logger, metrics: { registry }, closer, ...service }: Service,
): AccountDeps {
  const pool = service.pool({ url: config.databaseUrl, max: POOL_MAX });

  const sandboxKey = { ...DEFAULT_LIMITS.sandboxKey, max: config.sandboxKeysPerDay };
  const trial = { ...DEFAULT_LIMITS.trial, max: config.trialsPerAddress };
  const trialTotal = { ...DEFAULT_LIMITS.trialTotal, max: config.trialsPerDay };
  const claimMailTotal = { ...DEFAULT_LIMITS.claimMailTotal, max: config.claimMailsPerDay };
  const limits = { ...DEFAULT_LIMITS, sandboxKey, trial, trialTotal, claimMailTotal, ...changed };

  const lastUsed = createLastUsed({
    store: { writeLastUsed: (...use) => writeLastUsed(pool, ...use) },
    clock,
    onError: (error) => logger.warn({ err: error }, 'writing the last use of a key failed'),
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

  service.repeat('credit sweep', CREDITS_SWEEP_INTERVAL_MS, () => sweepCredits({ pool, clock, logger }));
  service.repeat('balance sums', SUM_INTERVAL_MS, () => sumBalances({ pool, clock }));

  const auditing = service.pool({
    url: config.databaseUrl,
    applicationName: 'account-audit',
    max: 1,
    statementTimeoutMs: AUDIT_MS_MAX,
  });
  const ledgerWatch = watchLedger({ pool: auditing, registry, clock, logger });
  closer.add('ledger watch', () => ledgerWatch.close());

  service.repeat('sweep of idempotent calls', CALLS_SWEEP_INTERVAL_MS, () => sweepCalls({ pool, clock }));
  service.repeat('deletion of old rows', FORGET_INTERVAL_MS, async () => {
    await forgetOld(pool, clock());
    await dropUnacknowledged(pool, clock(), logger);
  });
  service.repeat('daily sums of reads', FOLD_INTERVAL_MS, () => foldReadDays(pool, clock()));

  const answerSeal = createSeal(config.answerSecret, 'answers');
  const provider = createProvider(config.billing, config.publicBaseUrl, pool, clock);
  return { pool, notices, answerSeal, provider, limits, watch, listener, lastUsed, clock, randomBytes, logger };
}
