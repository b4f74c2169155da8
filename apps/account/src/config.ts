import {
  commaList,
  commonVariables,
  type Environment,
  postgresUrl,
  readConfig,
  requireRpcProof,
  type RpcSettings,
  rpcSettingsOf,
  rpcVariables,
  secretText,
  wholeNumber,
} from '@market-state/config';
import type { LogLevel } from '@market-state/logging';
import { type MailConfig, mailConfigOf, mailVariables, requireMailSender } from '@market-state/mail';
import { z } from 'zod';
import type { BillingSettings } from './billing/create-provider';

/** Default ratio of claim mails to trials per day. */
const CLAIM_MAILS_PER_TRIAL = 10;

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

function isLoopback(text: string): boolean {
  return /^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(text) && URL.canParse(text);
}

const variables = z
  .object({
    ...commonVariables,
    ...rpcVariables,
    DATABASE_URL: postgresUrl,
    ANSWER_SECRET: secretText,
    ALLOW_TRIALS: z.enum(['true', 'false']).default('false'),
    TRIALS_PER_ADDRESS: wholeNumber(0, 1_000_000).default(2),
    TRIALS_PER_DAY: wholeNumber(0, 1_000_000).default(100),
    CLAIM_MAILS_PER_DAY: wholeNumber(0, 10_000_000).optional(),
    ACCOUNT_VERIFICATION: z.enum(['required', 'off']).optional(),
    SHOWN_TENANT: z.string().min(1).max(100).optional(),
    SANDBOX_KEYS_PER_DAY: wholeNumber(0, 1_000_000).default(5),
    PUBLIC_BASE_URL: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' }),
    ...mailVariables,
    ALLOWED_ORIGINS: commaList
      .refine((origins) => origins.every(isOrigin), 'must be comma-separated origins such as https://app.example.com')
      .default([]),
    STRIPE_SECRET_KEY: secretText.optional(),
    STRIPE_WEBHOOK_SECRET: secretText.optional(),
    STRIPE_API_BASE: z.string().refine(isLoopback, 'must be http://127.0.0.1:port').optional(),
  })
  .refine((read) => (read.STRIPE_SECRET_KEY === undefined) === (read.STRIPE_WEBHOOK_SECRET === undefined), {
    path: ['STRIPE_WEBHOOK_SECRET'],
    error: 'and STRIPE_SECRET_KEY must be set together',
  })
  .refine((read) => read.SMTP_URL !== undefined || read.OUTBOX_DIR !== undefined, {
    path: ['SMTP_URL'],
    error: 'or OUTBOX_DIR must be set: mail needs a destination',
  })
  .superRefine(requireMailSender)
  .refine((read) => read.NODE_ENV !== 'production' || read.STRIPE_API_BASE === undefined, {
    path: ['STRIPE_API_BASE'],
    error: 'must not be set in production',
  })
  .superRefine(requireRpcProof);

export interface AccountConfig {
  readonly logLevel: LogLevel;
  readonly grpcAddress: string;
  readonly opsPort: number;
  /** IP address for metrics and probes; default loopback. */
  readonly opsHost?: string;
  readonly rpc: RpcSettings;
  readonly databaseUrl: string;
  /** Encrypts stored answers of idempotent calls and secrets of second factors; the same in every replica. */
  readonly answerSecret: string;
  /** True if a claim without key or token opens a trial. */
  readonly allowTrials: boolean;
  /** True if such a claim must be confirmed by mail. */
  readonly verifiesEmails: boolean;
  /** In 24 h. */
  readonly trialsPerAddress: number;
  readonly trialsPerDay: number;
  readonly claimMailsPerDay: number;
  /** Sandbox keys per address in 24 h. */
  readonly sandboxKeysPerDay: number;
  /** Tenant whose receipts are public, without their callers. Absent: none. */
  readonly shownTenant?: string;
  /** Links in mails point to it. */
  readonly publicBaseUrl: string;
  readonly mail: MailConfig;
  readonly billing: BillingSettings;
  readonly shutdownWaitMs: number;
}

export function readAccountConfig(env: Environment): AccountConfig {
  const read = readConfig(variables, env);
  return {
    logLevel: read.LOG_LEVEL,
    grpcAddress: read.GRPC_ADDRESS,
    opsPort: read.OPS_PORT,
    opsHost: read.OPS_HOST,
    rpc: rpcSettingsOf(read),
    databaseUrl: read.DATABASE_URL,
    answerSecret: read.ANSWER_SECRET,
    allowTrials: read.ALLOW_TRIALS === 'true',
    verifiesEmails: (read.ACCOUNT_VERIFICATION ?? verificationByDefault(read)) === 'required',
    trialsPerAddress: read.TRIALS_PER_ADDRESS,
    trialsPerDay: read.TRIALS_PER_DAY,
    claimMailsPerDay: read.CLAIM_MAILS_PER_DAY ?? CLAIM_MAILS_PER_TRIAL * read.TRIALS_PER_DAY,
    sandboxKeysPerDay: read.SANDBOX_KEYS_PER_DAY,
    shownTenant: read.SHOWN_TENANT,
    publicBaseUrl: read.PUBLIC_BASE_URL,
    mail: requireMail(read),
    billing: billingOf(read),
    shutdownWaitMs: read.SHUTDOWN_WAIT_MS,
  };
}

/** The refinement above rejects settings without a destination. */
function requireMail(read: z.output<typeof variables>): MailConfig {
  const mail = mailConfigOf(read);
  if (mail === undefined) throw new Error('mail has no destination');
  return mail;
}

/** Verification needs real mail: an SMTP server, which production is assumed to have. */
function verificationByDefault({ SMTP_URL: smtpUrl, NODE_ENV: nodeEnv }: z.output<typeof variables>): 'required' | 'off' {
  return smtpUrl !== undefined || nodeEnv === 'production' ? 'required' : 'off';
}

function billingOf(read: z.output<typeof variables>): BillingSettings {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_API_BASE: apiBase } = read;
  const isStripe = secretKey !== undefined && webhookSecret !== undefined;
  return {
    stripe: isStripe ? { secretKey, webhookSecret, apiBase: apiBase === undefined ? null : new URL(apiBase) } : null,
    allowedOrigins: read.ALLOWED_ORIGINS,
  };
}
