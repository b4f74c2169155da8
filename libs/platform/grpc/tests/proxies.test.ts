import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { closeAll, connect, startEcho } from './harness';

afterEach(closeAll);

test('calls, and the tokens with them, go past the proxies of the environment', async () => {
  let connections = 0;
  const proxy = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const names = ['http_proxy', 'https_proxy', 'grpc_proxy'] as const;
  const before = names.map((name) => process.env[name]);
  for (const name of names) process.env[name] = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  try {
    const { server } = await startEcho();
    const client = connect(server.address, { deadlineMs: 20_000 });
    await expect(client.call.echoOnce({ text: 'x' })).resolves.toEqual({ text: 'x' });
    expect(connections).toBe(0);
  } finally {
    names.forEach((name, at) => (before[at] === undefined ? delete process.env[name] : (process.env[name] = before[at])));
    proxy.close();
  }
});
