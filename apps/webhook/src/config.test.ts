import { ConfigError } from '@market-state/config';
import { readWebhookConfig, readWorkerConfig } from './config';

const key = (letter: string): string => Buffer.alloc(32, letter).toString('base64');

const env = {
  RPC_TOKEN_FILE: 'token',
  DATABASE_URL: 'postgresql://u:p@127.0.0.1:1/webhook',
  REDIS_URL: 'redis://127.0.0.1:2',
  LABELING_ADDRESS: '127.0.0.1:3',
  DATA_PLANE_ADDRESS: '127.0.0.1:4',
  ACCOUNT_ADDRESS: '127.0.0.1:5',
  WEBHOOK_KEYS: `new:${key('b')},old:${key('a')}`,
};
const certificates = { TLS_CERT_FILE: 'c', TLS_KEY_FILE: 'k', TLS_CA_FILE: 'a', NODE_ENV: 'production' };
const switched = { WEBHOOK_TEST_TARGETS: 'localhost:*=127.0.0.0/8', WEBHOOK_TEST_CA_FILE: '/tmp/ca.pem' };

function faultsOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(({ variable }) => variable);
    throw error;
  }
}

describe.each([
  ['webhook', readWebhookConfig],
  ['webhook-worker', readWorkerConfig],
] as const)('settings of %s', (_name, read) => {
  test('the first key seals, and nothing is a target of tests unless it is named', () => {
    const { sealingKeys, testTargets, testCaFile } = read(env);
    expect([sealingKeys.map(({ id }) => id), testTargets, testCaFile]).toEqual([['new', 'old'], [], undefined]);
  });

  test('targets of tests come with the authority that they are trusted by', () => {
    const { testTargets, testCaFile } = read({ ...env, ...switched });
    expect([testTargets.map(({ host, port }) => [host, port]), testCaFile]).toEqual([[['localhost', null]], '/tmp/ca.pem']);
  });

  test('the switch of tests is refused in production, both of its variables', () => {
    expect(faultsOf(() => read({ ...env, ...certificates }))).toEqual([]);
    expect(faultsOf(() => read({ ...env, ...certificates, ...switched }))).toEqual(['WEBHOOK_TEST_TARGETS', 'WEBHOOK_TEST_CA_FILE']);
  });

  test.each([
    ['no keys', { WEBHOOK_KEYS: '' }, 'WEBHOOK_KEYS'],
    ['a short key', { WEBHOOK_KEYS: 'a:YWJj' }, 'WEBHOOK_KEYS'],
    ['a target elsewhere', { WEBHOOK_TEST_TARGETS: 'localhost:*=10.0.0.0/8' }, 'WEBHOOK_TEST_TARGETS'],
    ['an authority without targets', { WEBHOOK_TEST_CA_FILE: '/tmp/ca.pem' }, 'WEBHOOK_TEST_CA_FILE'],
  ])('%s is a fault that reveals no key', (_what, change, variable) => {
    expect(faultsOf(() => read({ ...env, ...change }))).toEqual([variable]);
    expect(() => read({ ...env, ...change })).not.toThrow(/YWJj/);
  });
});
