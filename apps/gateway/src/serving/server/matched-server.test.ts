import { once } from 'node:events';
import { Agent, get, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createMatchedApp } from './matched-server';
import { closeServer } from './listen';

describe('a server that no longer listens', () => {
  let server: Server;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const waiting: (() => void)[] = [];

  beforeAll(async () => {
    const { app, createServer } = createMatchedApp();
    app.get('/slow', async (_req, res) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      res.end('slow');
    });
    app.get('/next', (_req, res) => void res.end('next'));
    server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => agent.destroy());

  async function ask(path: string): Promise<IncomingMessage> {
    const { port } = server.address() as AddressInfo;
    const [answer] = (await once(get({ agent, port, path, host: '127.0.0.1' }), 'response')) as [IncomingMessage];
    answer.resume();
    await once(answer, 'end');
    return answer;
  }

  it('answers what is under way, and with the next answer ends the connection', async () => {
    const { port } = server.address() as AddressInfo;
    const slow = ask('/slow');
    while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const next = once(get({ agent, port, path: '/next', host: '127.0.0.1' }), 'response');
    const closed = once(server, 'close');
    server.close();
    waiting[0]?.();
    expect((await slow).statusCode).toBe(200);
    const [answer] = (await next) as [IncomingMessage];
    expect([answer.statusCode, answer.headers.connection]).toEqual([200, 'close']);
    answer.resume();
    await closed;
  });
});

it('cuts a handshake without an answer when a server closes', async () => {
  const handshake = Promise.withResolvers<void>();
  const server = createMatchedApp(undefined, () => handshake.resolve()).createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  await handshake.promise;
  await Promise.all([closeServer(server, 0), once(socket, 'close')]);
});
