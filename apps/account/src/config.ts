import {
  commaList,
  commonVariables,
  type Environment,
  isLoopbackHost,
  postgresUrl,
  readConfig,
  requireRpcProof,
  type RpcSettings,
  rpcSettingsOf,
  rpcVariables,
  secretText,
  secretVariable,
  wholeNumber,
} from '@market-state/config';
import type { LogLevel } from '@market-state/logging';
import { type MailConfig, mailConfigOf, mailVariables, requireMailSender } from '@market-state/mail';
import { z } from 'zod';
import type { BillingSettings } from './billing/create-provider';
import type { OidcSettings } from './oidc/provider';

/** Default ratio of claim mails to trials per day. */
const CLAIM_MAILS_PER_TRIAL = 10;

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

function isLoopback(text: string): boolean {
  return /^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(text) && URL.canParse(text);
}

/** `https`, or `http` on loopback, without user, query or fragment. */
function isProviderAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  return (protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))) && username + password + search + hash === '';
}

const OIDC_NAME_LENGTH_MAX = 40;
const OIDC_NAME_DEFAULT = 'single sign-on';

const DOMAIN = /^[^\s@/?#\\.]+(?:\.[^\s@/?#\\.]+)+$/u;

/** Variables, and those that need them. */
const OIDC_NEEDED_BY = {
  OIDC_ISSUER: ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_NAME', 'OIDC_ALLOWED_DOMAINS', 'OIDC_TENANT'],
  OIDC_CLIENT_ID: ['OIDC_ISSUER'],
  OIDC_CLIENT_SECRET: ['OIDC_ISSUER'],
  OIDC_ALLOWED_DOMAINS: ['OIDC_TENANT'],
  OIDC_TENANT: ['OIDC_ALLOWED_DOMAINS'],
} as const;

const PROVIDER_ADDRESS = 'must be an https:// URL (http:// on loopback) without user, query or fragment';

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
    OIDC_ISSUER: z.string().refine(isProviderAddress, PROVIDER_ADDRESS).optional(),
    OIDC_CLIENT_ID: z.string().optional(),
    OIDC_CLIENT_SECRET: secretVariable(z.string()).optional(),
    OIDC_NAME: z
      .string()
      .refine(({ length }) => length <= OIDC_NAME_LENGTH_MAX, `must have at most ${OIDC_NAME_LENGTH_MAX} characters`)
      .optional(),
    OIDC_ALLOWED_DOMAINS: commaList
      .refine((domains) => domains.every((domain) => DOMAIN.test(domain)), 'must be comma-separated domains such as example.com')
      .optional(),
    OIDC_TENANT: z.string().optional(),
  })
  .superRefine((read, context) => {
    for (const [needed, by] of Object.entries(OIDC_NEEDED_BY))
      if (read[needed as keyof typeof OIDC_NEEDED_BY] === undefined && by.some((variable) => read[variable] !== undefined))
        context.addIssue({ code: 'custom', path: [needed], message: 'must be set' });
  })
  .superRefine((read, context) => {
    if (read.OIDC_ISSUER !== undefined && !isProviderAddress(read.PUBLIC_BASE_URL))
      context.addIssue({ code: 'custom', path: ['PUBLIC_BASE_URL'], message: `${PROVIDER_ADDRESS}, because OIDC_ISSUER is set` });
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
  /** Null: no login with a provider. */
  readonly oidc: OidcSettings | null;
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
    oidc: oidcOf(read),
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

function oidcOf(read: z.output<typeof variables>): OidcSettings | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = read;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return null;
  const { OIDC_ALLOWED_DOMAINS: domains, OIDC_TENANT: tenantName } = read;
  return {
    issuer,
    clientId,
    clientSecret,
    name: read.OIDC_NAME ?? OIDC_NAME_DEFAULT,
    newcomers: domains === undefined || tenantName === undefined ? null : { domains, tenantName },
  };
}
