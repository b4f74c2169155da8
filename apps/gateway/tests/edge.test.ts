import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createMatchedApp, SERVER_LIMITS } from '../src/serving/server/matched-server';
import { http } from './stand-in/http-client';

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe('the public server', () => {
  it('makes requests and responses with the prototypes that Express would set', async () => {
    const { app, createServer } = createMatchedApp();
    const seen: boolean[] = [];
    const server = createServer();
    server.prependListener('request', (req, res) =>
      seen.push(Object.getPrototypeOf(req) === app.request, Object.getPrototypeOf(res) === app.response),
    );
    app.get('/', (req, res) => {
      seen.push(Object.getPrototypeOf(req) === app.request, Object.getPrototypeOf(res) === app.response, req.app === app);
      res.json({ host: req.hostname });
    });
    const port = await listen(server);
    expect((await http(`http://127.0.0.1:${port}/`)).json()).toEqual({ host: '127.0.0.1' });
    expect(seen).toEqual([true, true, true, true, true]);
    server.close();
  });

  it('asks what is ahead of the application first, and the application when that says no', async () => {
    const { app, createServer } = createMatchedApp((req, res) => {
      if (req.url !== '/quick') return false;
      res.end('ahead');
      return true;
    });
    app.get('/slow', (_req, res) => void res.end('app'));
    const server = createServer();
    const port = await listen(server);
    expect((await http(`http://127.0.0.1:${port}/quick`)).text).toBe('ahead');
    expect((await http(`http://127.0.0.1:${port}/slow`)).text).toBe('app');
    server.close();
  });

  it('reads headers as Node does, however the name of the key header is spelled and however often it comes', async () => {
    const seen: unknown[] = [];
    const report = (req: IncomingMessage, res: ServerResponse): true => {
      seen.push(req.headers);
      res.end();
      return true;
    };
    const servers = [createMatchedApp(report).createServer(), createServer(report)];
    const spellings = [
      'x-market-state-api-key: a',
      'X-Market-State-Api-Key: a',
      'X-MARKET-state-api-key: a',
      'X-Market-State-API-Key: a\r\nx-market-state-api-key: b\r\nX-Market-State-Api-Key: c',
      'X-Other: a\r\nx-other: b',
      'x-market-state-api-key:',
    ];
    for (const server of servers) {
      const port = await listen(server);
      for (const lines of spellings) {
        const socket = connect(port, '127.0.0.1');
        socket.end(`GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${lines}\r\n\r\n`);
        await once(socket.resume(), 'close');
      }
      server.close();
    }
    expect(seen.slice(0, spellings.length)).toEqual(seen.slice(spellings.length));
    expect(seen).toHaveLength(2 * spellings.length);
    expect(seen[3]).toMatchObject({ 'x-market-state-api-key': 'a, b, c' });
  });

  it('keeps to its limits', () => {
    const server = createMatchedApp().createServer();
    expect(server).toMatchObject({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 5_000,
      maxRequestsPerSocket: 1_000,
      maxConnections: 2_000,
    });
    expect(SERVER_LIMITS).toMatchObject({ connectionsCheckingIntervalMs: 1_000, headerSizeBytesMax: 16_384 });
    expect(server.listenerCount('clientError')).toBe(1);
  });

  it('closes a connection whose headers do not come in time', async () => {
    const server = createMatchedApp().createServer({ headersTimeoutMs: 30, requestTimeoutMs: 60, connectionsCheckingIntervalMs: 10 });
    const socket = connect(await listen(server), '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow:');
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ code: 'request_timeout' });
    server.close();
  });
});
