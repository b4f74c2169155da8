import { deadlineExceeded, notFound, unavailable } from '@market-state/errors';
import { createMetrics } from '@market-state/telemetry';
import { closeAll, connect, startEcho } from './harness';

afterEach(closeAll);

test('a service that fails is left alone for 5 s, then asked three times, and called again when it answers', async () => {
  let isAway = true;
  let reached = 0;
  const { server } = await startEcho({
    echoOnce: async ({ text }) => {
      reached += 1;
      if (isAway) throw unavailable('upstream_unavailable', 'The store is away.');
      return { text };
    },
  });
  const clock = { ms: 0 };
  const metrics = createMetrics('test');
  const client = connect(server.address, { deadlineMs: 30_000, monotonicMs: () => clock.ms, metrics });
  const call = (): Promise<string> =>
    client.call.echoOnce({ text: 'x' }).then(
      () => 'answered',
      (error: { code: string }) => error.code,
    );
  for (let made = 0; made < 20; made += 1) expect(await call()).toBe('UNAVAILABLE');
  expect(reached).toBe(20);
  expect(await call()).toBe('UNAVAILABLE');
  expect(reached).toBe(20);
  expect(await metrics.registry.metrics()).toContain('grpc_client_breaker_opened_total{service="test.v1.EchoService"} 1');
  isAway = false;
  clock.ms = 5_000;
  expect(await Promise.all([call(), call(), call(), call()])).toEqual(['answered', 'answered', 'answered', 'UNAVAILABLE']);
  expect(await call()).toBe('answered');
});

test('business errors, unexpected errors and cancelled calls never open it', async () => {
  const { server } = await startEcho({
    echoOnce: async ({ text }) => {
      if (text === 'bug') throw new TypeError('x is undefined');
      if (text === 'busy') throw unavailable('password_work_full', 'Too many.');
      throw notFound('not_found', 'No such thing.');
    },
  });
  const client = connect(server.address, { deadlineMs: 30_000 });
  for (let made = 0; made < 40; made += 1) {
    await expect(client.call.echoOnce({ text: made % 2 === 0 ? 'busy' : 'x' })).rejects.toBeDefined();
    await expect(client.call.echoOnce({ text: 'bug' })).rejects.toMatchObject({ code: 'INTERNAL' });
    await expect(client.call.echoOnce({ text: 'x' }, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' });
  }
  await expect(client.call.echoOnce({ text: 'x' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a method that fails leaves the others of its service alone', async () => {
  const { server } = await startEcho({
    echoOnce: async () => {
      throw unavailable('upstream_unavailable', 'The store is away.');
    },
  });
  const client = connect(server.address, { deadlineMs: 30_000 });
  for (let made = 0; made < 30; made += 1) await expect(client.call.echoOnce({ text: 'x' })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  for (let made = 0; made < 30; made += 1) await expect(client.call.echo({ text: 'y' })).resolves.toEqual({ text: 'y' });
});

test('an unguarded method reaches its service as soon as it is back', async () => {
  let isAway = true;
  const { server } = await startEcho({
    echoOnce: async ({ text }) => {
      if (isAway) throw unavailable('upstream_unavailable', 'The store is away.');
      return { text };
    },
  });
  const client = connect(server.address, { deadlineMs: 30_000, unguarded: ['echoOnce'] });
  for (let made = 0; made < 40; made += 1) await expect(client.call.echoOnce({ text: 'x' })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  isAway = false;
  await expect(client.call.echoOnce({ text: 'x' })).resolves.toEqual({ text: 'x' });
});

test('a service that says in time that the work takes too long has answered; one that is silent until the deadline has not', async () => {
  const { server } = await startEcho({
    echo: async () => {
      throw deadlineExceeded('upstream_deadline', 'The rows took too long to read.');
    },
    echoOnce: async (_request, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })),
  });
  const client = connect(server.address, { deadlineMs: 30_000 });
  for (let made = 0; made < 40; made += 1)
    await expect(client.call.echo({ text: 'x' })).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  const silent = (): Promise<unknown> => client.call.echoOnce({ text: 'x' }, { deadlineMs: 50 });
  await Promise.all(Array.from({ length: 20 }, () => expect(silent()).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })));
  await expect(silent()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
