import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { address, addressList, commaList, commonVariables, port, postgresUrl, redisUrl, wholeNumber, secretText } from './pieces';
import { ConfigError, readConfig, variablesReadBy } from './read-config';
import { requireRpcProof, rpcVariables } from './rpc-settings';

const schema = z.object({
  ...commonVariables,
  DATABASE_URL: postgresUrl,
  REDIS_URL: redisUrl,
  SYMBOLS: commaList.default([]),
  LIMIT: wholeNumber(1, 10).default(5),
});

function faultsOf(env: Record<string, string>): string[] {
  try {
    readConfig(schema, env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map((fault) => fault.variable);
    throw error;
  }
}

const good = { DATABASE_URL: 'postgresql://u:p@127.0.0.1:1/db', REDIS_URL: 'redis://127.0.0.1:2' };

test('defaults fill what is absent or empty', () => {
  expect(readConfig(schema, { ...good, LOG_LEVEL: '', OTHER: 'x' })).toEqual({
    ...good,
    NODE_ENV: 'development',
    LOG_LEVEL: 'info',
    GRPC_ADDRESS: '127.0.0.1:0',
    OPS_PORT: 0,
    OPS_HOST: '127.0.0.1',
    SHUTDOWN_WAIT_MS: 2_000,
    SYMBOLS: [],
    LIMIT: 5,
  });
});

test('every fault is reported in one error, by the name of its variable', () => {
  expect(
    faultsOf({ DATABASE_URL: 'mysql://x', LOG_LEVEL: 'loud', GRPC_ADDRESS: 'nowhere', OPS_PORT: '65536', OPS_HOST: 'all', LIMIT: '11' }),
  ).toEqual(expect.arrayContaining(['DATABASE_URL', 'REDIS_URL', 'LOG_LEVEL', 'GRPC_ADDRESS', 'OPS_PORT', 'OPS_HOST', 'LIMIT']));
});

test('a missing variable is reported as missing', () => {
  expect(() => readConfig(schema, {})).toThrow(/DATABASE_URL: must be set\n {2}REDIS_URL: must be set/);
});

test('faults state what is allowed, also for checks without a message of their own', () => {
  const read = () =>
    readConfig(z.object({ ...commonVariables, NAME: z.string().max(3) }), { NODE_ENV: 'live', LOG_LEVEL: 'loud', NAME: 'long' });
  expect(read).toThrow(
    new ConfigError([
      { variable: 'NODE_ENV', message: 'must be one of development, test, production' },
      { variable: 'LOG_LEVEL', message: 'must be one of fatal, error, warn, info, debug, trace, silent' },
      { variable: 'NAME', message: 'must have at most 3 characters' },
    ]),
  );
});

test('a fault never repeats the value it refuses', () => {
  expect(() => readConfig(schema, { DATABASE_URL: 'mysql://user:hunter2@h/d', REDIS_URL: 'hunter2', LOG_LEVEL: 'hunter2' })).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('hunter2') as string }) as Error,
  );
});

test.each(['127.0.0.1:0', 'localhost:65535', '[::1]:80', 'feed.internal:1'])('%s is an address', (text) => {
  expect(address.safeParse(text).success).toBe(true);
});

test.each(['127.0.0.1', ':80', 'a:65536', 'a:b', 'a b:1', 'http://a:1'])('%s is no address', (text) => {
  expect(address.safeParse(text).success).toBe(false);
});

test('addresses of several processes are a list, and one that is no address is refused with the whole', () => {
  expect(addressList.parse('127.0.0.1:1, labeling-1.labeling:7000')).toEqual(['127.0.0.1:1', 'labeling-1.labeling:7000']);
  for (const text of ['', ',', 'a:1,b', 'a:1;b:2']) expect(addressList.safeParse(text).success).toBe(false);
  expect(addressList.safeParse('a:1,a:1').error?.issues).toMatchObject([{ message: 'must name each address once' }]);
});

test('numbers are decimal digits within bounds', () => {
  expect(wholeNumber(-5, 5).parse('-5')).toBe(-5);
  for (const text of ['', '6', '1e1', '0x1', '1.0', ' 1']) expect(wholeNumber(0, 5).safeParse(text).success).toBe(false);
  expect(port.parse('443')).toBe(443);
});

test.each(['x', '11'])('comparisons with a number that is %s add no further fault', (LIMIT) => {
  const compared = z.object({ LIMIT: wholeNumber(0, 10), MOST: wholeNumber(0, 10) }).superRefine(({ LIMIT: limit, MOST }, context) => {
    if (!(limit <= MOST)) context.addIssue({ code: 'custom', path: ['MOST'], message: 'must not be less than LIMIT' });
  });
  expect(() => readConfig(compared, { LIMIT, MOST: '1' })).toThrow(
    new ConfigError([{ variable: 'LIMIT', message: 'must be a whole number, 0..10' }]),
  );
  expect(() => readConfig(compared, { LIMIT: '2', MOST: '1' })).toThrow(/MOST: must not be less than LIMIT/);
});

test('faults between variables are reported together with those of single ones, unless they read one without a value', () => {
  const related = z
    .object({
      ...commonVariables,
      ...rpcVariables,
      DATABASE_URL: postgresUrl,
      ACCOUNT_ADDRESS: addressList,
      FIRST: wholeNumber(0, 9),
      SECOND: wholeNumber(0, 9),
    })
    .superRefine((read, context) => {
      if (read.FIRST > read.SECOND) context.addIssue({ code: 'custom', path: [], message: 'FIRST must not exceed SECOND' });
    })
    .refine((read) => !read.DATABASE_URL.includes('x'), { path: ['DATABASE_URL'], error: 'must not have an x' })
    .superRefine(requireRpcProof);
  const variablesOf = (env: Record<string, string>): string[] => {
    try {
      readConfig(related, env);
      return [];
    } catch (error) {
      if (error instanceof ConfigError) return error.faults.map(({ variable, message }) => `${variable}: ${message}`);
      throw error;
    }
  };
  const missing = ['DATABASE_URL: must be set', 'ACCOUNT_ADDRESS: must be set'];
  const token = 'RPC_TOKEN_FILE: or TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE must be set';
  expect(variablesOf({ FIRST: '2', SECOND: '1' })).toEqual([...missing, '(environment): FIRST must not exceed SECOND', token]);
  expect(variablesOf({ FIRST: '2', SECOND: 'x' })).toEqual([...missing, 'SECOND: must be a whole number, 0..9', token]);
  expect(variablesOf({ FIRST: '1', SECOND: '2', NODE_ENV: 'production' })).toEqual([
    ...missing,
    ...['TLS_CERT_FILE', 'TLS_KEY_FILE', 'TLS_CA_FILE'].map((name) => expect.stringContaining(`${name}: must be set if`) as string),
  ]);
});

test('a comma list loses blanks and empty words', () => {
  expect(commaList.parse(' A, B ,,C')).toEqual(['A', 'B', 'C']);
});

describe('secrets', () => {
  const schema = z.object({
    DATABASE_URL: postgresUrl,
    REDIS_URL: redisUrl.optional(),
    ANSWER_SECRET: secretText,
    LIMIT: wholeNumber(1, 10).default(5),
  });

  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'config-secrets-'));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function fileWith(text: string): string {
    const file = join(folder, 'secret');
    writeFileSync(file, text);
    return file;
  }

  function faultsOf(env: Record<string, string>): readonly string[] {
    try {
      readConfig(schema, env);
      return [];
    } catch (error) {
      if (error instanceof ConfigError) return error.faults.map(({ variable, message }) => `${variable}: ${message}`);
      throw error;
    }
  }

  const SECRET = 's'.repeat(32);
  const good = { DATABASE_URL: 'postgresql://u:p@127.0.0.1:1/db', ANSWER_SECRET: SECRET };

  test.each(['\n', '\r\n', ''])('a secret in a file is read without the end of its line (%j)', (end) => {
    const read = readConfig(schema, { ANSWER_SECRET: SECRET, DATABASE_URL_FILE: fileWith(`${good.DATABASE_URL}${end}`) });
    expect(read).toEqual({ ...good, LIMIT: 5 });
  });

  test('an optional secret may be in a file as well, and an empty file is as none', () => {
    expect(readConfig(schema, { ...good, REDIS_URL_FILE: fileWith('redis://127.0.0.1:2\n') })).toMatchObject({
      REDIS_URL: 'redis://127.0.0.1:2',
    });
    expect(readConfig(schema, { ...good, REDIS_URL_FILE: fileWith('\n') }).REDIS_URL).toBeUndefined();
  });

  test('a variable and its file are not both taken', () => {
    expect(faultsOf({ ...good, DATABASE_URL_FILE: fileWith(good.DATABASE_URL) })).toEqual([
      'DATABASE_URL_FILE: and DATABASE_URL are both set: unset one of them',
    ]);
  });

  test('a file that cannot be read is one fault, by the variable that names it', () => {
    expect(faultsOf({ ANSWER_SECRET: SECRET, DATABASE_URL_FILE: join(folder, 'none') })).toEqual([
      'DATABASE_URL_FILE: cannot be read: ENOENT',
    ]);
  });

  test('a fault of a file is reported with the file variable, together with every other fault, and never with the text', () => {
    const faults = faultsOf({ DATABASE_URL_FILE: fileWith('mysql://u:hunter2@h/d'), ANSWER_SECRET: 'hunter2', LIMIT: '11' });
    expect(faults).toEqual([
      'DATABASE_URL_FILE: must be a postgresql:// URL',
      'ANSWER_SECRET: must be a secret of at least 32 bytes',
      'LIMIT: must be a whole number, 1..10',
    ]);
  });

  test('what is no secret is not read from a file', () => {
    expect(readConfig(schema, { ...good, LIMIT_FILE: fileWith('7') })).toMatchObject({ LIMIT: 5 });
  });

  test('variables of a process are listed with the files of its secrets and the required ones', () => {
    const { names, secrets, required } = variablesReadBy((env) => [env['FEED'], readConfig(schema, env)]);
    expect(names).toEqual([
      'ANSWER_SECRET',
      'ANSWER_SECRET_FILE',
      'DATABASE_URL',
      'DATABASE_URL_FILE',
      'FEED',
      'LIMIT',
      'REDIS_URL',
      'REDIS_URL_FILE',
    ]);
    expect(secrets).toEqual(['ANSWER_SECRET', 'DATABASE_URL', 'REDIS_URL']);
    expect(required).toEqual(['DATABASE_URL', 'ANSWER_SECRET']);
    expect(variablesReadBy((env) => readConfig(z.object(commonVariables), env))).toMatchObject({ required: [] });
  });
});
