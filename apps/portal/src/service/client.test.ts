import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sampleFetch } from '../sample/sample-answers';

const CATALOG = '/api/public/market-state/workspace/data/catalog';

test('while a page shows a sample, its calls are answered from it, and those of the frame by the service', async () => {
  const server = createServer((_request, response) => response.end('{"from":"service"}')).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  Object.assign(globalThis, { location: { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } });
  try {
    const { answerFrom, frameService, service } = await import('./client');
    const catalogOf = async (client: typeof service) => (await client.catalog.get()).data;
    answerFrom(sampleFetch({ recorded_utc: '2026-11-30T00:00:00.000Z', answers: [{ path: CATALOG, body: { from: 'sample' } }] }));
    expect([await catalogOf(service), await catalogOf(frameService)]).toEqual([{ from: 'sample' }, { from: 'service' }]);
    answerFrom(null);
    expect(await catalogOf(service)).toEqual({ from: 'service' });
  } finally {
    Reflect.deleteProperty(globalThis, 'location');
    server.close();
  }
});
