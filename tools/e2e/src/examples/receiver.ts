import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** A webhook receiver on this machine, with the certificate that a system makes for such ones. */
export interface Receiver {
  /** Its address for an endpoint. */
  readonly url: string;
  /** Whether it refuses with 503 what is no test. */
  isBusy: boolean;
  close(): Promise<void>;
}

export async function openReceiver(dataDir: string): Promise<Receiver> {
  const file = (name: string) => readFileSync(join(dataDir, 'demo-tls', `localhost.${name}`));
  const server = createServer({ cert: file('crt'), key: file('key') }, (request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const { type } = JSON.parse(text) as { readonly type: string };
      const isRefused = receiver.isBusy && type !== 'webhook.test';
      response.writeHead(isRefused ? 503 : 200, { 'content-type': 'text/plain' });
      response.end(isRefused ? 'Busy: send it again later.' : 'Stored.');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: Receiver = {
    url: `https://localhost:${(server.address() as AddressInfo).port}/market-state`,
    isBusy: false,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}
