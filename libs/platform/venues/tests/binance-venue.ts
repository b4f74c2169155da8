import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export interface BinanceScript {
  /** Called after the subscription was acknowledged. */
  onSubscribed?(socket: WebSocket, path: string, streams: readonly string[]): void;
  /** Response of a REST route; a number is a status. Undefined: the default response. */
  answer?(route: string, query: URLSearchParams): string | number | undefined;
  /** Default: success. */
  readonly acknowledgement?: string;
  acknowledge?(params: readonly string[], id: number): string | undefined;
}

/** Scripted Binance on a free loopback port. */
export interface BinanceVenue {
  readonly wsUrl: string;
  readonly restUrl: string;
  /** Path and query of the REST requests, in order. */
  readonly requested: readonly string[];
  /** Subscriptions by socket path. */
  readonly subscribed: Readonly<Record<string, readonly string[]>>;
  readonly requests: readonly { readonly method: string; readonly path: string; readonly params: readonly string[] }[];
  close(): Promise<void>;
}

const CONTRACTS = {
  symbols: [
    { symbol: 'BTCUSD_PERP', contractType: 'PERPETUAL', contractSize: 100 },
    { symbol: 'ETHUSD_PERP', contractType: 'PERPETUAL', contractSize: 10 },
    { symbol: 'BTCUSDT', contractType: 'PERPETUAL' },
    { symbol: 'BTCUSD_240927', contractType: 'CURRENT_QUARTER' },
  ],
};

export async function startBinanceVenue(script: BinanceScript = {}): Promise<BinanceVenue> {
  const requested: string[] = [];
  const subscribed: Record<string, readonly string[]> = {};
  const requests: BinanceVenue['requests'][number][] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://venue');
    requested.push(`${url.pathname}${url.search}`);
    const route = url.pathname.split('/').at(-1) ?? '';
    send(response, script.answer?.(route, url.searchParams) ?? usual(route, url.searchParams));
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket, request) =>
    socket.on('message', (data: Buffer) => {
      const { method, params, id } = JSON.parse(data.toString()) as { method: string; params: readonly string[]; id: number };
      const path = request.url ?? '';
      requests.push({ method, path, params });
      if (method === 'SUBSCRIBE') subscribed[path] = params;
      socket.send(script.acknowledge?.(params, id) ?? script.acknowledgement ?? `{"result":null,"id":${id}}`);
      if (method !== 'SUBSCRIBE') return;
      script.onSubscribed?.(socket, path, params);
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    wsUrl: `ws://127.0.0.1:${port}`,
    restUrl: `http://127.0.0.1:${port}`,
    requested,
    subscribed,
    requests,
    close: async () => {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function usual(route: string, query: URLSearchParams): string | number {
  const symbol = query.get('symbol');
  switch (route) {
    case 'exchangeInfo':
      return JSON.stringify(CONTRACTS);
    case 'fundingInfo':
      return '[]';
    case 'openInterest':
      return JSON.stringify({ symbol, openInterest: '15004', time: 1_723_161_256_000 });
    default:
      return 404;
  }
}

function send(response: ServerResponse, answer: string | number): void {
  if (typeof answer === 'number') response.writeHead(answer).end();
  else response.end(answer);
}
