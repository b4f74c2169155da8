import type { ConfigError } from '@market-state/config';
import { readAccountConfig } from './config';

const required = {
  DATABASE_URL: 'postgres://account@127.0.0.1/account',
  ANSWER_SECRET: 'a secret of tests, 32 bytes or more',
  PUBLIC_BASE_URL: 'https://market-state.example',
  OUTBOX_DIR: '/outbox',
  RPC_TOKEN_FILE: '/token.json',
};
/** Minimum environment for production. */
const inProduction = { NODE_ENV: 'production', TLS_CERT_FILE: '/account.crt', TLS_KEY_FILE: '/account.key', TLS_CA_FILE: '/ca.crt' };
const withServer = { SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'market-state@example.org' };

test.each<[string, NodeJS.ProcessEnv, boolean]>([
  ['mail goes to a folder', {}, false],
  ['mail goes to a server', withServer, true],
  ['it is production', inProduction, true],
  ['a server is set and the setting says off', { ...withServer, ACCOUNT_VERIFICATION: 'off' }, false],
  ['mail goes to a folder and the setting says required', { ACCOUNT_VERIFICATION: 'required' }, true],
])('emails of trials are verified or not where %s', (_where, settings, verifiesEmails) => {
  expect(readAccountConfig({ ...required, ...settings })).toMatchObject({ verifiesEmails });
});

test('trials are two a day for an address and a hundred in all, unless settings say otherwise', () => {
  expect(readAccountConfig(required)).toMatchObject({ trialsPerAddress: 2, trialsPerDay: 100 });
  expect(readAccountConfig({ ...required, TRIALS_PER_ADDRESS: '5', TRIALS_PER_DAY: '0' })).toMatchObject({
    trialsPerAddress: 5,
    trialsPerDay: 0,
  });
  expect(() => readAccountConfig({ ...required, ACCOUNT_VERIFICATION: 'maybe' })).toThrow('ACCOUNT_VERIFICATION');
});

test('mails about claims are ten for each trial of a day, unless a setting says how many', () => {
  expect(readAccountConfig(required)).toMatchObject({ claimMailsPerDay: 1_000 });
  expect(readAccountConfig({ ...required, TRIALS_PER_DAY: '7' })).toMatchObject({ claimMailsPerDay: 70 });
  expect(readAccountConfig({ ...required, TRIALS_PER_DAY: '7', CLAIM_MAILS_PER_DAY: '0' })).toMatchObject({ claimMailsPerDay: 0 });
});

test('a NODE_ENV that is nearly production is refused', () => {
  for (const NODE_ENV of ['Production', 'prod']) expect(() => readAccountConfig({ ...required, NODE_ENV })).toThrow('NODE_ENV');
});

const withProvider = { OIDC_ISSUER: 'https://login.example/realms/company', OIDC_CLIENT_ID: 'market-state', OIDC_CLIENT_SECRET: 'secret' };

test('a login provider needs a client, and its newcomers a tenant', () => {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = withProvider;
  expect(readAccountConfig(required).oidc).toBeNull();
  const plain = { issuer, clientId, clientSecret, name: 'single sign-on', newcomers: null };
  expect(readAccountConfig({ ...required, ...withProvider }).oidc).toEqual(plain);
  const further = { OIDC_NAME: 'Company login', OIDC_ALLOWED_DOMAINS: 'company.example, firma.example', OIDC_TENANT: 'company' };
  expect(readAccountConfig({ ...required, ...withProvider, ...further }).oidc).toEqual({
    ...plain,
    name: 'Company login',
    newcomers: { domains: ['company.example', 'firma.example'], tenantName: 'company' },
  });
});

test('all faults of a login provider are reported at once', () => {
  const faultsOf = (settings: NodeJS.ProcessEnv): string[] => {
    try {
      readAccountConfig({ ...required, ...settings });
      return [];
    } catch (error) {
      return (error as ConfigError).faults.map(({ variable }) => variable).sort();
    }
  };
  const wrong = { PUBLIC_BASE_URL: 'http://market-state.example', OIDC_NAME: 'x'.repeat(41), OIDC_ALLOWED_DOMAINS: 'a@company.example' };
  expect(faultsOf({ ...wrong, OIDC_ISSUER: 'http://login.example' })).toEqual([
    'OIDC_ALLOWED_DOMAINS',
    'OIDC_CLIENT_ID',
    'OIDC_CLIENT_SECRET',
    'OIDC_ISSUER',
    'OIDC_NAME',
    'OIDC_TENANT',
    'PUBLIC_BASE_URL',
  ]);
  expect(
    faultsOf({ ALLOW_TRIALS: 'maybe', OIDC_ISSUER: 'https://login.example', STRIPE_SECRET_KEY: 's'.repeat(32), RPC_TOKEN_FILE: '' }),
  ).toEqual(['ALLOW_TRIALS', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'RPC_TOKEN_FILE', 'STRIPE_WEBHOOK_SECRET']);
  expect(faultsOf({ OIDC_NAME: 'Company login' })).toEqual(['OIDC_ISSUER']);
  expect(faultsOf({ ...withProvider, OIDC_TENANT: 'company' })).toEqual(['OIDC_ALLOWED_DOMAINS']);
  for (const issuer of ['https://user@login.example', 'https://login.example/?a=b', 'login.example', 'http://127.0.0.1.evil.example'])
    expect(faultsOf({ ...withProvider, OIDC_ISSUER: issuer })).toEqual(['OIDC_ISSUER']);
  const onLoopback = { OIDC_ISSUER: 'http://127.0.0.1:9000', PUBLIC_BASE_URL: 'http://127.0.0.1:8080' };
  expect(faultsOf({ ...withProvider, ...onLoopback })).toEqual([]);
});
