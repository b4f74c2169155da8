import { createMetrics, type OpsServer, type Readiness, startOpsServer } from '../src';

let ops: OpsServer;
let readiness: Readiness = { ready: false, checks: { postgres: false } };
let live = true;
const metrics = createMetrics('test-service');

beforeAll(async () => {
  ops = await startOpsServer({ port: 0, registry: metrics.registry, ready: () => readiness, live: () => live });
});
afterAll(() => ops.close());

function get(path: string, method = 'GET'): Promise<Response> {
  return fetch(`http://127.0.0.1:${ops.port}${path}`, { method });
}

test('readyz follows what the process reports', async () => {
  const before = await get('/readyz');
  expect([before.status, await before.json()]).toEqual([503, { ready: false, checks: { postgres: false } }]);
  readiness = { ready: true, checks: { postgres: true } };
  expect((await get('/readyz')).status).toBe(200);
});

test('livez is 503 when the process is not worth keeping', async () => {
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

test('anything else is 404, other methods 405', async () => {
  expect((await get('/')).status).toBe(404);
  expect((await get('/metrics', 'POST')).status).toBe(405);
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
