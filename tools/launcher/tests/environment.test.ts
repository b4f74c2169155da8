import { definitions, type ProcessDefinition } from '../src/system/definitions';
import { environmentOf, inheritedVariables } from '../src/system/environment';

const SECRETS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_PROFILE: 'profile', S3_ENDPOINT: 'https://s3.example' };

function namesWhere(uses: (definition: ProcessDefinition) => boolean): string[] {
  return definitions.filter(uses).map(({ name }) => name);
}

function environments(env: NodeJS.ProcessEnv): Map<string, NodeJS.ProcessEnv> {
  const context = {
    dataDir: '/data',
    stores: { postgresUrl: (database: string) => `postgresql://x/${database}`, redisUrl: 'redis://x' },
    settings: inheritedVariables({ ANSWER_SECRET: 'x', QUOTE_SECRET: 'x', ...env }),
    rpc: { variablesOf: () => ({}) },
  };
  const ports = new Map(definitions.map(({ name }) => [name, { ops: 1 }]));
  return new Map(definitions.map((definition) => [definition.name, environmentOf(definition, ports, {}, context)]));
}

function namesGiven(all: Map<string, NodeJS.ProcessEnv>, variable: string): string[] {
  return [...all].filter(([, env]) => variable in env).map(([name]) => name);
}

test('archive, exports and Redis are named to the processes that use them and to no other', () => {
  const all = environments({});
  expect(namesGiven(all, 'ARCHIVE_URL')).toEqual(namesWhere(({ usesArchive }) => usesArchive === true));
  expect(namesGiven(all, 'EXPORT_URL')).toEqual(namesWhere(({ usesExports }) => usesExports === true));
  expect(namesGiven(all, 'REDIS_URL')).toEqual(
    namesWhere(({ usesEventLog, countsCalls, usesQueue }) => [usesEventLog, countsCalls, usesQueue].includes(true)),
  );
  expect(all.get('export-worker')).toMatchObject({ ARCHIVE_URL: '/data/archive', EXPORT_URL: '/data/exports', REDIS_URL: 'redis://x' });
});

test('what opens a bucket reaches only processes whose store is in one, with a folder for copies', () => {
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

test('without a bucket no process is given credentials of one, and a file: URL stays as it is', () => {
  const all = environments({ ...SECRETS, ARCHIVE_URL: 'file:///archive' });
  for (const variable of [...Object.keys(SECRETS), 'S3_CACHE_DIR']) expect(namesGiven(all, variable)).toEqual([]);
  expect(all.get('labeling')).toMatchObject({ ARCHIVE_URL: 'file:///archive' });
});
