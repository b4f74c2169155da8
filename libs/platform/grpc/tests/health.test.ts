import { createClient, healthDefinition } from '../src';
import { healthDefinition as definition } from '../src/health';
import { closeAll, connect, deferred, PEER, startEcho } from './harness';

const clients: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await closeAll();
});

function healthClient(address: string) {
  const client = createClient({ definition: healthDefinition, address, peer: PEER, idempotent: new Set([healthDefinition.check.path]) });
  clients.push(client);
  return client;
}

test('health answers for the process, its services and each dependency by name', async () => {
  const { server, health } = await startEcho();
  const { call } = healthClient(server.address);
  expect(await call.check({ service: '' })).toEqual({ status: 'SERVING' });
  expect(await call.check({ service: 'test.v1.EchoService' })).toEqual({ status: 'SERVING' });
  expect(await call.check({ service: 'store' })).toEqual({ status: 'NOT_SERVING' });
  health.set('store', true);
  health.set('added later', true);
  expect(await call.check({ service: 'store' })).toEqual({ status: 'SERVING' });
  expect(await call.check({ service: 'added later' })).toEqual({ status: 'SERVING' });
  await expect(call.check({ service: 'unknown' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('watch sends the state now and each change', async () => {
  const { server, health } = await startEcho();
  const seen: string[] = [];
  for await (const { status } of healthClient(server.address).call.watch({ service: 'store' })) {
    seen.push(status);
    if (seen.length === 3) break;
    health.set('store', seen.length === 1);
  }
  expect(seen).toEqual(['NOT_SERVING', 'SERVING', 'NOT_SERVING']);
});

test('stopping says not serving first, then lets running calls finish', async () => {
  const arrived = deferred<void>();
  const release = deferred<void>();
  const { server } = await startEcho(
    {
      echo: async ({ text }) => {
        arrived.resolve();
        await release.promise;
        return { text };
      },
    },
    { shutdownWaitMs: 200 },
  );
  const { call } = healthClient(server.address);
  expect(await call.check({ service: '' })).toEqual({ status: 'SERVING' });
  const running = connect(server.address).call.echo({ text: 'finished' });
  await arrived.promise;
  const closed = server.close();
  expect(await call.check({ service: '' })).toEqual({ status: 'NOT_SERVING' });
  release.resolve();
  expect(await running).toEqual({ text: 'finished' });
  await closed;
});

test('the hand-written messages have the wire form of grpc.health.v1', () => {
  expect(definition.check.requestSerialize({ service: 'ab' }).toString('hex')).toBe('0a026162');
  expect(definition.check.responseSerialize({ status: 'NOT_SERVING' }).toString('hex')).toBe('0802');
  expect(definition.check.requestDeserialize(Buffer.from('0a026162', 'hex'))).toEqual({ service: 'ab' });
  expect(definition.check.responseDeserialize(Buffer.from('08011a0178', 'hex'))).toEqual({ status: 'SERVING' });
  expect(definition.check.responseDeserialize(Buffer.alloc(0))).toEqual({ status: 'UNKNOWN' });
});
