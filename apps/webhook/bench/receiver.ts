import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeAuthority, makeServiceCertificate } from '@market-state/certificates';

const DAY_MS = 86_400_000;

/** Sent to the parent process once the server listens. */
export interface ReceiverAddress {
  readonly ca: string;
  readonly port: number;
}

/** Answers every POST with 204 until the parent disconnects. */
async function main(): Promise<void> {
  const validity = { fromMs: Date.now() - DAY_MS, toMs: Date.now() + DAY_MS };
  const authority = await makeAuthority('Receivers', validity);
  const { certificate, key } = await makeServiceCertificate(authority, { name: 'localhost', ...validity });
  const server = createServer({ cert: certificate, key }, (request, response) => {
    request.resume().on('end', () => response.writeHead(204).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.({ ca: authority.certificate, port: (server.address() as AddressInfo).port } satisfies ReceiverAddress);
  process.on('disconnect', () => process.exit(0));
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
