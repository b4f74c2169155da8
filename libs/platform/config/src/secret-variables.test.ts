import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { commonVariables, postgresUrl, redisUrl, secretText, wholeNumber } from './pieces';
import { ConfigError } from './config-error';
import { readConfig, variablesReadBy } from './read-config';

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
