import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createMetrics, type OpsServer, type Readiness, startOpsServer } from '../src';

let ops: OpsServer;
let readiness: Readiness = { ready: false, checks: { postgres: false } };
let live = true;
const metrics = createMetrics('test-service');

beforeAll(async () => {
  ops = await startOpsServer({ port: 0, registry: metrics.registry, ready: () => readiness, live: () => live });
});
afterAll(() => ops.close());

async function turnsUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

function get(path: string, method = 'GET'): Promise<Response> {
  return fetch(`http://127.0.0.1:${ops.port}${path}`, { method });
}

test('readyz follows what the process reports', async () => {
  const before = await get('/readyz');
  expect([before.status, await before.json()]).toEqual([503, { ready: false, checks: { postgres: false } }]);
  readiness = { ready: true, checks: { postgres: true } };
  expect((await get('/readyz')).status).toBe(200);
});

test('livez is 503 when the process reports itself dead', async () => {
  expect((await get('/livez')).status).toBe(200);
  live = false;
  expect((await get('/livez')).status).toBe(503);
});

test("metrics carry Node's own series and ours, labelled with the service", async () => {
  metrics.grpcServer.observe({ method: '/a.B/C', code: 'OK' }, 0.004);
  const text = await (await get('/metrics')).text();
  expect(text).toContain('nodejs_eventloop_lag_seconds');
  expect(text).toContain('grpc_server_handling_seconds_count{service="test-service",method="/a.B/C",code="OK"} 1');
});

test("services of one process share one set of Node's series, each under its own name, however many begin", async () => {
  const others = ['one', 'other'].map((service) => createMetrics(service).registry);
  const ofCollector = [metrics.registry, ...others].map((registry) => registry.getSingleMetric('nodejs_gc_duration_seconds'));
  expect(ofCollector[0]).toBeDefined();
  expect(new Set(ofCollector).size).toBe(1);
  const lines = await Promise.all(others.map((registry) => registry.getSingleMetricAsString('process_start_time_seconds')));
  expect(lines).toEqual([expect.stringContaining('{service="one"}'), expect.stringContaining('{service="other"}')]);
});

test('a stalled event loop shows as delay, without the sampling interval', async () => {
  const { registry } = createMetrics('delayed', { lagEveryMs: 10 });
  const read = async (): Promise<[delayS: number, lagS: number]> => {
    const text = await registry.metrics();
    const valueOf = (name: string) => Number(new RegExp(`^${name}\\{service="delayed"\\} (\\S+)$`, 'm').exec(text)?.[1]);
    return [valueOf('event_loop_delay_p99_seconds'), valueOf('nodejs_eventloop_lag_p99_seconds')];
  };
  // A second monitor of the same loop shows when ours has sampled.
  const watch = monitorEventLoopDelay({ resolution: 10 });
  watch.enable();
  await read();
  await turnsUntil(() => watch.count > 2);
  const endMs = performance.now() + 200;
  while (performance.now() < endMs);
  await turnsUntil(() => watch.max > 150e6);
  watch.disable();
  const [delayS, lagS] = await read();
  expect(delayS).toBeGreaterThan(0.15);
  expect(delayS).toBeCloseTo(lagS - 0.01, 9);
});

test('anything else is 404, other methods 405', async () => {
  expect((await get('/')).status).toBe(404);
  expect((await get('/metrics', 'POST')).status).toBe(405);
});

/** Status of a metrics request with this Host. */
async function statusFor(port: number, host: string): Promise<number | undefined> {
  const [response] = (await once(httpGet({ port, host: '127.0.0.1', path: '/metrics', headers: { host } }), 'response')) as [
    IncomingMessage,
  ];
  response.resume();
  return response.statusCode;
}

test('on loopback it answers under names of loopback only', async () => {
  for (const host of ['localhost', `localhost:${ops.port}`, '127.0.0.1:9000', '[::1]:9000'])
    expect(await statusFor(ops.port, host)).toBe(200);
  for (const host of ['evil.example', `evil.example:${ops.port}`, 'account', '10.0.0.1']) expect(await statusFor(ops.port, host)).toBe(421);
});

test('elsewhere it answers under addresses and names of private networks, as Prometheus and the kubelet use them', async () => {
  const { registry } = createMetrics('container');
  const own = await startOpsServer({ port: 0, host: '0.0.0.0', registry, ready: () => ({ ready: true }) });
  for (const host of ['account:9000', '10.1.2.3:9000', 'account.market-state.svc:9000', 'localhost'])
    expect(await statusFor(own.port, host)).toBe(200);
  for (const host of ['evil.example:9000', '10.1.2.3.evil.example']) expect(await statusFor(own.port, host)).toBe(421);
  await own.close();
});

test('it listens on loopback, or on the address that it is given', async () => {
  const own = await startOpsServer({
    port: 0,
    host: '127.0.0.2',
    registry: createMetrics('elsewhere').registry,
    ready: () => ({ ready: true }),
  });
  expect((await fetch(`http://127.0.0.2:${own.port}/livez`)).status).toBe(200);
  await expect(fetch(`http://127.0.0.1:${own.port}/livez`)).rejects.toThrow();
  await own.close();
});
