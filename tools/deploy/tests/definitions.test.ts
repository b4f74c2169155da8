import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { variablesReadBy } from '@market-state/config';
import { definitions, services, workspaceRoot } from '@market-state/launcher';
import { createMetrics } from '@market-state/telemetry';
import { deployed, secretsOf, readers } from '../src/deployed';
import { NOT_GIVEN } from '../src/variables';
import { composeFileWritten, ofKind } from './written';

const pods = ofKind('Deployment', 'StatefulSet').map(({ spec }) => spec.template.spec);
const containers = pods.map(({ containers: [container] }) => container);
const compose = composeFileWritten().services;
const names = definitions.filter(({ onlyForFeed }) => onlyForFeed === undefined).map(({ name }) => name);

/** Read only by the C library, Node or Amazon's client. */
const FOREIGN = ['TZ', 'MALLOC_ARENA_MAX', 'NODE_OPTIONS', 'AWS_SHARED_CREDENTIALS_FILE'];

/** Variables a process may get: all that it reads, and secrets only as files. */
function mayNotify(name: string): readonly string[] {
  const { names: all, secrets } = variablesReadBy(readers[name as keyof typeof readers]);
  const hasServer = definitions.some((definition) => definition.name === name && definition.addressVariable !== undefined);
  return all
    .filter((variable) => !secrets.includes(variable) && !(variable in NOT_GIVEN))
    .filter((variable) => variable !== 'GRPC_ADDRESS' || hasServer)
    .sort();
}

function reported(variables: readonly string[]): readonly string[] {
  return variables.filter((variable) => !FOREIGN.includes(variable)).sort();
}

test('exactly our processes are deployed, in pods and in containers', () => {
  expect(containers.map(({ name }) => name).sort()).toEqual([...names].sort());
  const own = Object.entries(compose).filter(([, { image }]) => image.startsWith('market-state/') && !image.includes('/migrate:'));
  expect(own.map(([name]) => name)).toEqual(names);
});

test.each(containers)('the pods of $name get exactly the variables that it reads', ({ name, env }) => {
  expect(reported(env.map((variable) => variable.name))).toEqual(mayNotify(name));
});

test.each(names)('the container of %s gets exactly the variables that it reads', (name) => {
  expect(reported(Object.keys(compose[name]?.environment ?? {}))).toEqual(mayNotify(name));
});

test.each(deployed)('$name: its configuration is read by the function its program calls', ({ name, service }) => {
  const main = services[service]?.processes[name]?.main ?? '';
  const text = readFileSync(join(workspaceRoot(), 'apps', service, main), 'utf8');
  expect(text).toContain(`${readers[name].name}(`);
});

test('variables that no process gets are read by one, and those forbidden in production are rejected', () => {
  const read = new Set(Object.values(readers).flatMap((reader) => variablesReadBy(reader).names));
  expect(Object.keys(NOT_GIVEN).filter((name) => !read.has(name))).toEqual([]);
});

test('every setting that services.json exposes to a process is read by one', () => {
  const read = Object.values(readers).flatMap((reader) => variablesReadBy(reader).names);
  const listed = definitions.flatMap(({ settings = [], ownSettings = [], secrets = [], keyRings = [], defaults = {} }) => [
    ...settings,
    ...ownSettings,
    ...secrets,
    ...keyRings,
    ...Object.keys(defaults),
  ]);
  const matches = (pattern: string): boolean => read.some((name) => new RegExp(`^${pattern.replace('*', '\\w*')}$`).test(name));
  expect(listed.filter((pattern) => !matches(pattern))).toEqual([]);
});

test.each(containers)('$name listens on its configured ports, and its metrics port is probed and scraped', (container) => {
  const { name, env, ports = [] } = container;
  const valueOf = (variable: string): string | undefined => env.find((one) => one.name === variable)?.value;
  const portOf = (wanted: string): string | undefined => ports.find((port) => port.name === wanted)?.containerPort.toString();
  expect(portOf('ops')).toBe(valueOf('OPS_PORT'));
  expect(portOf('rpc')).toBe(valueOf('GRPC_ADDRESS')?.split(':').at(-1));
  expect(portOf('http')).toBe(valueOf('PORT'));
  const workload = ofKind('Deployment', 'StatefulSet').find(({ metadata }) => metadata.name === name);
  expect(workload?.spec.template.metadata.annotations['prometheus.io/port']).toBe(portOf('ops'));
  const pathOf = (probe: string): unknown => (container[probe] as { httpGet: object }).httpGet;
  const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map(pathOf);
  const [starts, lives, isReady] = portOf('http') === undefined ? ['/livez', '/livez', '/readyz'] : ['/readyz', '/livez', '/livez'];
  expect(paths).toEqual([starts, lives, isReady].map((path) => ({ port: 'ops', path })));
});

test('every process with an address has a Service under it, and the gateway one more', () => {
  const found = ofKind('Service').map(({ metadata, spec }) => `${metadata.name}:${spec.ports[0]?.port}`);
  const called = definitions.filter(({ addressVariable, onlyForFeed }) => addressVariable !== undefined && onlyForFeed === undefined);
  expect([...found].sort()).toEqual([...called.map(({ name }) => `${name}:7000`), 'gateway:80'].sort());
});

test.each(pods)("pods are unprivileged, and read their secrets only from their service's Secret", (pod) => {
  const [container] = pod.containers;
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: 'RuntimeDefault' } });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  const process = deployed.find(({ name }) => name === container.name);
  const ofService = (process?.variables.secrets ?? []).length > 0 ? [process?.service] : [];
  expect(pod.volumes.flatMap(({ secret }) => secret?.secretName ?? [])).toEqual([`${container.name}-tls`, ...ofService]);
});

test.each([...new Set(deployed.map(({ service }) => service))])('the page on deployment lists the secrets of %s', (service) => {
  const page = readFileSync(join(workspaceRoot(), 'deploy', 'README.md'), 'utf8');
  const row = new RegExp(`^\\| \\\`${service}\\\` \\| (.+) \\|$`, 'm').exec(page)?.[1] ?? '';
  const [, mayBeEmpty = ''] = row.split('may be empty:');
  const named = (text: string): readonly string[] =>
    [...text.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name).filter((name) => name !== 'OUTBOX_DIR');
  const wanted = secretsOf(service);
  expect([...named(row)].sort()).toEqual(wanted.map(({ name }) => name).sort());
  expect([...named(mayBeEmpty)].sort()).toEqual(wanted.flatMap(({ name, isRequired }) => (isRequired ? [] : [name])).sort());
});

test('scaling uses metrics that processes have', async () => {
  const registered = await createMetrics('any').registry.metrics();
  for (const { spec } of ofKind('HorizontalPodAutoscaler'))
    for (const { pods: own } of spec['metrics'] as readonly { pods?: { metric: { name: string } } }[])
      if (own !== undefined) expect(registered).toContain(own.metric.name);
  for (const { service, workload } of deployed)
    if (workload.scaling?.by === 'wait') expect(sourcesOf(service)).toContain(`name: '${workload.scaling.histogram}'`);
});

function sourcesOf(service: string): string {
  const folder = join(workspaceRoot(), 'apps', service, 'src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  );
  return files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
}

test.each(pods)("every file path in a pod's variables is one of its secrets", ({ containers: [{ env }], volumes }) => {
  const files = volumes.flatMap(({ name, secret }) =>
    (secret?.items ?? []).map(({ path }) => `/run/secrets/market-state${name === 'tls' ? '-tls' : ''}/${path}`),
  );
  const secretFiles = env.flatMap(({ value }) => (value?.startsWith('/run/secrets/') === true ? [value] : []));
  expect([...secretFiles].sort()).toEqual([...files].sort());
});
