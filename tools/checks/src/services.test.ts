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

test('services.json has exactly the known fields for each service and process', () => {
  expect(registry.parse(JSON.parse(read('services.json')))).toEqual(services);
});

/** Apps without a process: the command line, and the pages served by the gateway. */
const WITHOUT_PROCESS = ['cli', 'portal'];

test('every app is a service, except the command line and the portal', () => {
  const apps = readdirSync(join(workspaceRoot(), 'apps')).filter((name) => !WITHOUT_PROCESS.includes(name));
  expect(each.map(([name]) => name).sort()).toEqual(apps);
});

test.each(each)('everything that services.json says about %s exists: its programs, and its schema if it has a database', (name, entry) => {
  for (const { main } of Object.values(entry.processes)) expect(read('apps', name, main)).toContain('runMain(');
  for (const file of ['schema.prisma', 'privileges.json', 'migrations/migration_lock.toml'])
    expect([file, existsSync(join(workspaceRoot(), 'apps', name, 'prisma', file))]).toEqual([file, entry.hasDatabase === true]);
});

test('process names and address variables are unique, and one process is public', () => {
  for (const found of [processes.map(([name]) => name), processes.flatMap(([, { addressVariable = [] }]) => addressVariable)])
    expect(found).toEqual([...new Set(found)]);
  expect(processes.filter(([, { isPublic }]) => isPublic).map(([name]) => name)).toEqual(['gateway']);
});

test('every package with services is served by one reachable process', () => {
  const packages = Object.keys(CALLERS).map((path) => path.slice(1, path.lastIndexOf('.')));
  const served = processes.flatMap(([, { serves = [] }]) => serves);
  expect([...served].sort()).toEqual([...new Set(packages)].filter((name) => name !== 'grpc.health.v1').sort());
  for (const [name, { serves, addressVariable, speaksRpc }] of processes)
    if (serves !== undefined) expect([name, addressVariable !== undefined, speaksRpc]).toEqual([name, true, true]);
});

test('every RPC participant has an identity, and so do the launcher and the operator', () => {
  const speaking = processes.filter(([, { speaksRpc }]) => speaksRpc).map(([name]) => name);
  expect(SERVICES).toEqual([...speaking, 'launcher', 'operator'].sort());
});

test("the README's map has a line for every service", () => {
  const lines = each.map(([name, { owns }]) => `| [apps/${name}](apps/${name}/README.md) | ${owns} |`);
  const map = read('README.md')
    .split('\n')
    .filter((line) => line.startsWith('| [apps/') && !WITHOUT_PROCESS.some((name) => line.startsWith(`| [apps/${name}]`)));
  expect([...map].sort()).toEqual([...lines].sort());
});
