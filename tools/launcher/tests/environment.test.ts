import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definitions, type ProcessDefinition } from '../src/services';
import { environmentOf, inheritedVariables, withAbsolutePaths } from '../src/system/environment';

const SECRETS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_PROFILE: 'profile', S3_ENDPOINT: 'https://s3.example' };

function namesWhere(uses: (definition: ProcessDefinition) => boolean): string[] {
  return definitions.filter(uses).map(({ name }) => name);
}

function environments(env: NodeJS.ProcessEnv, dataDir = '/data'): Map<string, NodeJS.ProcessEnv> {
  const context = {
    dataDir,
    stores: { postgresUrl: (database: string) => `postgresql://x/${database}`, redisUrl: 'redis://x' },
    settings: inheritedVariables({ ANSWER_SECRET: 'x', QUOTE_SECRET: 'x', LINK_SECRET: 'x', WEBHOOK_KEYS: 'k1:x', ...env }),
    rpc: { variablesOf: () => ({}) },
  };
  const ports = new Map(definitions.map(({ name }) => [name, { ops: 1 }]));
  return new Map(definitions.map((definition) => [definition.name, environmentOf(definition, ports, {}, context)]));
}

function namesGiven(all: Map<string, NodeJS.ProcessEnv>, variable: string): string[] {
  return [...all].filter(([, env]) => variable in env).map(([name]) => name);
}

test('only the processes that use archive, exports and Redis get their locations', () => {
  const all = environments({});
  expect(namesGiven(all, 'ARCHIVE_URL')).toEqual(namesWhere(({ usesArchive }) => usesArchive === true));
  expect(namesGiven(all, 'EXPORT_URL')).toEqual(namesWhere(({ usesExports }) => usesExports === true));
  expect(namesGiven(all, 'REDIS_URL')).toEqual(
    namesWhere(({ usesEventLog, countsCalls, usesQueue }) => [usesEventLog, countsCalls, usesQueue].includes(true)),
  );
  expect(all.get('export-worker')).toMatchObject({ ARCHIVE_URL: '/data/archive', EXPORT_URL: '/data/exports', REDIS_URL: 'redis://x' });
});

test('processes that do not handle every event or call return memory at once, the others larger pieces of it', () => {
  const all = environments({});
  expect(namesGiven(all, 'MALLOC_TRIM_THRESHOLD_')).toEqual(namesWhere(({ isBusy }) => isBusy === true));
  expect(namesGiven(all, 'MALLOC_MMAP_THRESHOLD_')).toEqual(namesWhere(({ isBusy }) => isBusy !== true));
  expect(namesWhere(({ isBusy }) => isBusy === true)).toContain('gateway');
});

test('bucket credentials reach only processes whose store is in a bucket, with a folder for copies', () => {
  const all = environments({ ...SECRETS, ARCHIVE_URL: 'relative', EXPORT_URL: 's3://bucket/exports' });
  for (const variable of [...Object.keys(SECRETS), 'S3_CACHE_DIR']) {
    expect(namesGiven(all, variable)).toEqual(namesWhere(({ usesExports }) => usesExports === true));
  }
  expect(all.get('export-worker')).toMatchObject({
    ARCHIVE_URL: `${process.cwd()}/relative`,
    EXPORT_URL: 's3://bucket/exports',
    S3_CACHE_DIR: '/data/cache',
    AWS_SECRET_ACCESS_KEY: 'secret',
  });
});

test('no address is a proxy unless the operator configures it', () => {
  expect(namesGiven(environments({}), 'TRUSTED_PROXIES')).toEqual([]);
  expect(environments({ TRUSTED_PROXIES: '127.0.0.1' }).get('gateway')).toMatchObject({ TRUSTED_PROXIES: '127.0.0.1' });
});

test('without a bucket no process gets bucket credentials, and a file: URL is unchanged', () => {
  const all = environments({ ...SECRETS, ARCHIVE_URL: 'file:///archive' });
  for (const variable of [...Object.keys(SECRETS), 'S3_CACHE_DIR']) expect(namesGiven(all, variable)).toEqual([]);
  expect(all.get('labeling')).toMatchObject({ ARCHIVE_URL: 'file:///archive' });
});

test.each([
  ['in the data folder', '', '/data/signing-key.pem'],
  ['where the operator sets it', '/keys/ours.pem', '/keys/ours.pem'],
])('the packet signing key is %s, and only signing processes get its path', (_where, given, expected) => {
  const all = environments({ SIGNING_KEY_FILE: given });
  const signers = namesWhere(({ signsPackets }) => signsPackets === true);
  expect(signers.length).toBeGreaterThan(0);
  expect(namesGiven(all, 'SIGNING_KEY_FILE')).toEqual(signers);
  for (const name of signers) expect(all.get(name)?.['SIGNING_KEY_FILE']).toBe(expected);
});

const SWITCH = ['WEBHOOK_TEST_TARGETS', 'WEBHOOK_TEST_CA_FILE'];
const senders = namesWhere(({ keyRings = [] }) => keyRings.includes('WEBHOOK_KEYS'));

test('a demo system may send to one port of this machine, with the authority of its own data folder', () => {
  const all = environments({});
  for (const variable of SWITCH) expect(namesGiven(all, variable)).toEqual(senders);
  expect(all.get('webhook-worker')).toMatchObject({
    WEBHOOK_TEST_TARGETS: 'localhost:8443=127.0.0.0/8',
    WEBHOOK_TEST_CA_FILE: '/data/demo-tls/ca.crt',
  });
});

test("the operator may name other ports of this machine, for receivers with the data folder's certificate", () => {
  const targets = { WEBHOOK_TEST_TARGETS: 'localhost:9443=127.0.0.0/8' };
  expect(environments(targets).get('webhook-worker')).toMatchObject({ ...targets, WEBHOOK_TEST_CA_FILE: '/data/demo-tls/ca.crt' });
});

test.each([{ NODE_ENV: 'production' }, { WEBHOOK_TEST_TARGETS: '' }, { WEBHOOK_TEST_CA_FILE: '/mine.crt' }])(
  'no demo setting applies with %j',
  (env) => {
    const given = environments(env).get('webhook-worker') ?? {};
    expect(Object.entries(given).filter(([name]) => SWITCH.includes(name))).toEqual(
      Object.entries(env).filter(([name]) => SWITCH.includes(name)),
    );
  },
);

test("sealing keys are created once, with an id, for the processes that seal and open; the operator's keys are used unchanged", () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'launcher-keys-'));
  try {
    const [made, again] = [environments({ WEBHOOK_KEYS: '' }, dataDir), environments({ WEBHOOK_KEYS: '' }, dataDir)];
    const keys = made.get('webhook')?.['WEBHOOK_KEYS'] ?? '';
    expect(keys).toMatch(/^k1:[A-Za-z0-9+/]{43}=$/);
    expect(namesGiven(made, 'WEBHOOK_KEYS')).toEqual(senders);
    for (const all of [made, again]) for (const name of senders) expect(all.get(name)?.['WEBHOOK_KEYS']).toBe(keys);
    expect(statSync(join(dataDir, 'secrets', 'webhook-keys')).mode & 0o777).toBe(0o600);
    const own = environments({ WEBHOOK_KEYS: 'new:x,old:y' }, dataDir);
    expect(own.get('webhook-worker')?.['WEBHOOK_KEYS']).toBe('new:x,old:y');
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});

test("a secret in an operator's file is not generated, and only the processes that read it get the path", () => {
  const all = environments({ ANSWER_SECRET: '', ANSWER_SECRET_FILE: '/answer', SMTP_URL_FILE: '/mail' }, '/nowhere');
  expect(namesGiven(all, 'ANSWER_SECRET_FILE')).toEqual(['account']);
  expect(all.get('account')).toMatchObject({ ANSWER_SECRET: '', ANSWER_SECRET_FILE: '/answer', SMTP_URL_FILE: '/mail' });
  expect(namesGiven(all, 'SMTP_URL_FILE')).toEqual(['account', 'webhook-worker']);
});

test('paths of secret files are absolute', () => {
  expect(withAbsolutePaths({ WEBHOOK_KEYS_FILE: 'keys', STRIPE_SECRET_KEY_FILE: '' })).toEqual({
    WEBHOOK_KEYS_FILE: `${process.cwd()}/keys`,
    STRIPE_SECRET_KEY_FILE: '',
  });
});
