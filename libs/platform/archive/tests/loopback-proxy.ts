import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Passing {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  body: Buffer;
}

/** Undefined passes the request on. */
export type Interference =
  | undefined
  /** Cut before the request reaches the server. */
  | 'lose request'
  /** The server handles the request; its response is lost. */
  | 'lose answer'
  /** Cut after this many bytes of the response body. */
  | { readonly cutAfterBytes: number };

/** Loopback proxy that inspects, changes and cuts traffic. `Host` stays unchanged because it is signed. */
export interface LoopbackProxy {
  readonly endpoint: string;
  readonly seen: Passing[];
  /** Called for each request; may change its body. */
  meddle: (passing: Passing) => Interference | Promise<Interference>;
  close(): Promise<void>;
}

export async function startProxy(target: string): Promise<LoopbackProxy> {
  const server: Server = createServer((incoming, outgoing) => {
    pass(proxy, target, incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const proxy: LoopbackProxy = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: [],
    meddle: () => undefined,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return proxy;
}

async function pass(proxy: LoopbackProxy, target: string, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const passing: Passing = {
    method: incoming.method ?? '',
    url: incoming.url ?? '',
    headers: incoming.headers,
    body: await buffer(incoming),
  };
  proxy.seen.push(passing);
  const interference = await proxy.meddle(passing);
  if (interference === 'lose request') throw new Error('lost');
  const headers = Object.fromEntries(Object.entries(incoming.headers).filter(([name]) => !['transfer-encoding', 'expect'].includes(name)));
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const requested = request(`${target}${passing.url}`, { method: passing.method, headers, setHost: false, agent: false });
    requested.once('response', resolve);
    requested.once('error', reject);
    requested.end(passing.body);
  });
  if (interference === 'lose answer') {
    answer.resume();
    throw new Error('lost');
  }
  const content = await buffer(answer);
  outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
  if (interference === undefined) outgoing.end(content);
  else outgoing.write(content.subarray(0, interference.cutAfterBytes), () => incoming.socket.destroy());
}
