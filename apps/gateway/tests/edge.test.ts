import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createMatchedApp, SERVER_LIMITS } from '../src/http/matched-server';
import { http } from './stand-in/http-client';

async function listen(server: ReturnType<ReturnType<typeof createMatchedApp>['createServer']>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe('the public server', () => {
  it('makes requests and responses with the prototypes that Express would set', async () => {
    const { app, createServer } = createMatchedApp();
    const seen: boolean[] = [];
    const server = createServer();
    server.prependListener('request', (req, res) => seen.push(Object.getPrototypeOf(req) === app.request, Object.getPrototypeOf(res) === app.response));
    app.get('/', (req, res) => {
      seen.push(Object.getPrototypeOf(req) === app.request, Object.getPrototypeOf(res) === app.response, req.app === app);
      res.json({ host: req.hostname });
    });
    const port = await listen(server);
    expect((await http(`http://127.0.0.1:${port}/`)).json()).toEqual({ host: '127.0.0.1' });
    expect(seen).toEqual([true, true, true, true, true]);
    server.close();
  });

  it('keeps to its limits', () => {
    const server = createMatchedApp().createServer();
    expect(server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 5_000, maxRequestsPerSocket: 1_000, maxConnections: 2_000 });
    expect(SERVER_LIMITS).toMatchObject({ connectionsCheckingIntervalMs: 1_000, headerSizeBytesMax: 16_384 });
    expect(server.listenerCount('clientError')).toBe(1);
  });

  it('closes a connection whose headers do not come in time', async () => {
    const server = createMatchedApp().createServer({ headersTimeoutMs: 30, requestTimeoutMs: 60, connectionsCheckingIntervalMs: 10 });
    const socket = connect(await listen(server), '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nX-Slow:');
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ code: 'request_timeout' });
    server.close();
  });
});
