import { METHOD_RULES } from '@market-state/contracts';
import { waitFor } from '@market-state/lifecycle';
import { pingPostgres, type Queryable } from '@market-state/postgres';
import { bootService, type RunningService, type Service } from '@market-state/service';
import { Counter } from 'prom-client';
import { createMailTransport } from '@market-state/mail';
import type { AccountConfig } from './config';
import { type AccountDeps, type AccountOverrides, buildDeps } from './deps';
import { createBeat, startHeartbeat } from './keys/key-watch';
import { bindAccountService } from './rpc/accounts/service';
import { bindCreditService } from './rpc/credits/service';
import { bindBillingService } from './rpc/billing';
import { bindReadFiguresService } from './rpc/statistics';
import { bindIdempotencyService } from './rpc/idempotency';
import { bindOperatorService } from './rpc/operator';
import { bindOutboxService } from './rpc/outbox';
import { bindKeyService } from './rpc/keys/service';
import { bindShownReceiptService } from './rpc/receipts';
import { findExpiredKeys } from './store/keys';
import { sendMail } from './mail/send-mail';
import type { ClaimDeps } from './accounts/claim';
import type { AccountsDeps } from './accounts/deps';
import { createHashThreads, createPasswords } from './accounts/passwords';
import { createPasswordWork, WORK_MS_MAX } from './accounts/password-work';
import { PENDING_LIFE_MS } from './accounts/second-factor';
import { sweepSessions } from './accounts/sessions';
import { deleteExpired } from './store/retention';
import { createSeal } from './seal';
import { createOidcProvider } from './oidc/provider';
import { deletePendingFactors } from './store/second-factors';
import { deleteOldStamps } from './store/throttles';

export interface AccountServer extends RunningService {
  /** `host:port` of the RPC server. */
  readonly address: string;
}

/** Starts once the database answers; `signal` aborts the wait. */
export function startAccount(config: AccountConfig, overrides: AccountOverrides = {}, signal?: AbortSignal): Promise<AccountServer> {
  const options = {
    ...config,
    name: 'account',
    methodRules: METHOD_RULES,
    dependencies: ['postgres'],
    logger: overrides.logger,
    signal,
  };
  return bootService(options, async (service) => {
    const { logger, health, closer } = service;
    const deps = buildDeps(config, overrides, service);
    await waitFor('postgres', () => Promise.all([pingPostgres(deps.pool), deps.listener.catchUp()]), { logger, signal });
    const accounts = await startAccounts({ ...deps, config }, service);
    const beating = startHeartbeat(bindBeat(deps), (error) => {
      if (error !== undefined) logger.warn({ err: error }, 'no heartbeat: key changes are not being received');
      health.set('postgres', error === undefined);
    });
    closer.add('heartbeat', () => beating.close());
    const address = await service.serve({
      address: config.grpcAddress,
      services: [
        bindKeyService(deps),
        bindAccountService(accounts),
        bindCreditService(deps),
        bindIdempotencyService({ ...deps, seal: deps.answerSeal }),
        bindOperatorService(deps),
        bindOutboxService(deps),
        bindReadFiguresService(deps),
        bindShownReceiptService({ ...deps, shownTenant: config.shownTenant }),
        bindBillingService({ ...deps, ...config.billing, publicBaseUrl: config.publicBaseUrl }),
      ],
      shutdownWaitMs: config.shutdownWaitMs,
    });
    return { address };
  });
}

function bindBeat({ watch, clock, listener, pool }: AccountDeps) {
  return createBeat({
    watch,
    clock,
    catchUp: () => listener.catchUp(),
    findExpired: (fromMs, toMs) => findExpiredKeys(pool, fromMs, toMs),
  });
}

/** Longer than the window of any limit. */
const STAMPS_KEPT_MS = 2 * 86_400_000;

async function sweepAccounts(db: Queryable, nowMs: number): Promise<void> {
  await sweepSessions(db, nowMs);
  await deleteOldStamps(db, nowMs - STAMPS_KEPT_MS);
  await deleteExpired(db, nowMs);
  await deletePendingFactors(db, nowMs - PENDING_LIFE_MS);
}

const MAIL_INTERVAL_MS = 500;
const SWEEP_INTERVAL_MS = 10_000;

interface StartAccountsOptions extends Omit<AccountsDeps, 'passwords' | 'mailToFolder' | 'factorSeal' | 'oidc'> {
  readonly config: AccountConfig;
}

async function startAccounts(options: StartAccountsOptions, { closer, repeat, metrics }: Service): Promise<ClaimDeps> {
  const { pool, limits, clock, randomBytes, logger, config } = options;
  const hashes = new Counter({
    name: 'account_password_hashes_total',
    help: 'Passwords hashed or verified.',
    registers: [metrics.registry],
  });
  const threads = createHashThreads();
  closer.add('password threads', () => threads.close());
  const startedMs = performance.now();
  const otherHash = await threads.hash(Buffer.from(randomBytes(32)).toString('hex'));
  const work = createPasswordWork({ workMs: Math.min(performance.now() - startedMs, WORK_MS_MAX) });
  const passwords = createPasswords({ threads, work, otherHash, onHash: () => hashes.inc() });

  const transport = createMailTransport(config.mail, clock);
  closer.add('mail transport', () => transport.close());
  repeat('mail', MAIL_INTERVAL_MS, async () => {
    while (await sendMail({ pool, transport, publicBaseUrl: config.publicBaseUrl, clock, randomBytes, logger }));
  });
  repeat('account sweep', SWEEP_INTERVAL_MS, () => sweepAccounts(pool, clock()));
  const { allowTrials, verifiesEmails, mail, answerSecret } = config;
  const factorSeal = createSeal(answerSecret, 'secondFactors');
  return {
    pool,
    passwords,
    limits,
    clock,
    randomBytes,
    logger,
    factorSeal,
    allowTrials,
    verifiesEmails,
    mailToFolder: 'folder' in mail.to,
    oidc: config.oidc === null ? null : createOidcProvider(config.oidc, config.publicBaseUrl),
  };
}
