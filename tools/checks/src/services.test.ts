import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CALLERS, SERVICES } from '@market-state/contracts';
import { services, workspaceRoot } from '@market-state/launcher';
import { z } from 'zod';

const names = z.array(z.string().regex(/^[A-Z0-9_]+\*?$|^\*[A-Z0-9_]+$/));
const registry = z.record(
  z.string(),
  z.strictObject({
    owns: z.string().min(1),
    hasDatabase: z.literal(true).optional(),
    processes: z.record(
      z.string(),
      z.strictObject({
        does: z.string().min(1),
        main: z.string().min(1),
        speaksRpc: z.literal(true).optional(),
        onlyForFeed: z.string().optional(),
        addressVariable: z
          .string()
          .regex(/^[A-Z_]+_ADDRESS$/)
          .optional(),
        serves: z
          .string()
          .regex(/^marketstate\.[a-z]+\.v\d+$/)
          .optional(),
        isPublic: z.literal(true).optional(),
        isBusy: z.literal(true).optional(),
        isBackground: z.literal(true).optional(),
        usesEventLog: z.literal(true).optional(),
        countsCalls: z.literal(true).optional(),
        signsPackets: z.literal(true).optional(),
        usesArchive: z.literal(true).optional(),
        usesQueue: z.literal(true).optional(),
        usesExports: z.literal(true).optional(),
        secrets: names.optional(),
        keyRings: names.optional(),
        ownSettings: names.optional(),
        settings: names.optional(),
        defaults: z.record(z.string(), z.string()).optional(),
        demoSettings: z.record(z.string(), z.string()).optional(),
        stopStage: z.int().min(0),
      }),
    ),
  }),
);
const each = Object.entries(services);
const processes = each.flatMap((service) => Object.entries(service[1].processes));

function read(...path: readonly string[]): string {
  return readFileSync(join(workspaceRoot(), ...path), 'utf8');
}

test('services.json says of each service and process what is known to be said, and nothing else', () => {
  expect(registry.parse(JSON.parse(read('services.json')))).toEqual(services);
});

/** Apps without a process: the program of users, and the pages that the gateway serves. */
const WITHOUT_PROCESS = ['cli', 'portal'];

test('every app is a service, but the program of users and the portal', () => {
  const apps = readdirSync(join(workspaceRoot(), 'apps')).filter((name) => !WITHOUT_PROCESS.includes(name));
  expect(each.map(([name]) => name).sort()).toEqual(apps);
});

test.each(each)('what services.json says of %s is there: its programs, and its schema where it has a database', (name, entry) => {
  for (const { main } of Object.values(entry.processes)) expect(read('apps', name, main)).toContain('runMain(');
  for (const file of ['schema.prisma', 'privileges.json', 'migrations/migration_lock.toml'])
    expect([file, existsSync(join(workspaceRoot(), 'apps', name, 'prisma', file))]).toEqual([file, entry.hasDatabase === true]);
});

test('names of processes and variables of their addresses occur once, and one process is public', () => {
  for (const found of [processes.map(([name]) => name), processes.flatMap(([, { addressVariable = [] }]) => addressVariable)])
    expect(found).toEqual([...new Set(found)]);
  expect(processes.filter(([, { isPublic }]) => isPublic).map(([name]) => name)).toEqual(['gateway']);
});

test('every package of services is served by one process, which others can reach', () => {
  const packages = Object.keys(CALLERS).map((path) => path.slice(1, path.lastIndexOf('.')));
  const served = processes.flatMap(([, { serves = [] }]) => serves);
  expect([...served].sort()).toEqual([...new Set(packages)].filter((name) => name !== 'grpc.health.v1').sort());
  for (const [name, { serves, addressVariable, speaksRpc }] of processes)
    if (serves !== undefined) expect([name, addressVariable !== undefined, speaksRpc]).toEqual([name, true, true]);
});

test('every RPC caller, the launcher and the operator have an identity', () => {
  const speaking = processes.filter(([, { speaksRpc }]) => speaksRpc).map(([name]) => name);
  expect(SERVICES).toEqual([...speaking, 'launcher', 'operator'].sort());
});

test('the tree in the README lists every app, and for each service what it owns', () => {
  const [, tree = ''] = /^apps\/\n((?: {2}\S.*\n)+)/m.exec(read('README.md')) ?? [];
  const described = [...tree.matchAll(/^ {2}(\S+) +(.+)$/gm)].map(([, name = '', purpose = '']) => [name, purpose]);
  expect(described.map(([name]) => name)).toEqual(readdirSync(join(workspaceRoot(), 'apps')).sort());
  expect(described.filter(([name = '']) => !WITHOUT_PROCESS.includes(name)).sort()).toEqual(
    each.map(([name, { owns }]) => [name, owns]).sort(),
  );
});
