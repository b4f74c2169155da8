import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startGateway } from '../src/gateway';

/** What the parent asks of a server process. */
export type ServerQuestion = { readonly ask: 'cpu' } | { readonly ask: 'upstream_calls' };

function tell(value: number): void {
  process.send?.({ value });
}

function answerWith(upstreamCallTotal: () => number): void {
  process.on('message', ({ ask }: ServerQuestion) => {
    const { user, system } = process.cpuUsage();
    tell(ask === 'cpu' ? user + system : upstreamCallTotal());
  });
}

/** `bare <bytes>` serves a constant buffer; `gateway <account> <labeling> <data plane>` serves the real thing. */
async function main(): Promise<void> {
  const [kind, ...rest] = process.argv.slice(2);
  if (kind === 'bare') {
    const body = Buffer.alloc(Number(rest[0]), 0x20);
    const server = createServer((_req, res) => {
      res.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length });
      res.end(body);
    }).listen(0, '127.0.0.1', () => tell((server.address() as AddressInfo).port));
    answerWith(() => 0);
    return;
  }
  const [accountAddress = '', labelingAddress = '', dataPlaneAddress = ''] = rest;
  const gateway = await startGateway({ logLevel: 'warn', listenHost: '127.0.0.1', port: 0, opsPort: 0, shutdownWaitMs: 0, quoteSecret: 'quotes-of-the-bench-are-signed-with-this', accountAddress, labelingAddress, dataPlaneAddress });
  answerWith(() => gateway.upstreams.packets.unaryCallTotal() + gateway.upstreams.keys.unaryCallTotal());
  tell(gateway.port);
}

void main();
