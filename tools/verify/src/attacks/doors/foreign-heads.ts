import type { SuiteContext } from '../../harness';
import { exchangeRaw, statusOfRaw } from '../raw-exchange';
import type { Scene } from '../scene';

/** `Expect` other than 100-continue: 417 in the one error shape, with security headers and a request id. */
export async function sendStrangeExpect({ gateway }: Scene, { report }: SuiteContext): Promise<void> {
  const { port } = gateway.process;
  const received = await exchangeRaw({
    port,
    text: `GET /livez HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nExpect: foo\r\nConnection: close\r\n\r\n`,
  });
  const status = statusOfRaw(received);
  const missing = ['x-request-id:', 'x-content-type-options:', 'application/problem+json', '"request_id"', '"status":417'].filter(
    (part) => !received.toLowerCase().includes(part),
  );
  report.check(status === 417, `Expect: foo got ${status}.`);
  report.check(missing.length === 0, `The answer to Expect: foo lacks ${missing.join(', ')}.`);
  report.figure('Expect: foo', `${status}, without ${missing.length === 0 ? 'nothing' : missing.join(', ')}`);
}

/** Two Hosts, a foreign Host and a foreign Host with an own port are refused; each own name is served. */
export async function sendForeignHosts({ gateway }: Scene, { report }: SuiteContext): Promise<void> {
  const { port } = gateway.process;
  const statusFor = async (...hosts: string[]): Promise<number> =>
    statusOfRaw(
      await exchangeRaw({
        port,
        text: `GET /livez HTTP/1.1\r\n${hosts.map((host) => `Host: ${host}\r\n`).join('')}Connection: close\r\n\r\n`,
      }),
    );
  const own = `127.0.0.1:${port}`;
  const twice = await statusFor(own, own);
  const twiceForeign = await statusFor(own, 'evil.example');
  const foreign = await statusFor('evil.example');
  const foreignPort = await statusFor(`evil.example:${port}`);
  const owns = [await statusFor(own), await statusFor(`localhost:${port}`), await statusFor(`[::1]:${port}`)];
  const statuses = `${twice}, ${twiceForeign}, ${foreign}, ${foreignPort}, ${owns.join(' ')}`;
  const isRefused = (status: number): boolean => status === 421 || status === 400;
  report.check(isRefused(twice) && isRefused(twiceForeign), `Two Hosts got ${twice} and ${twiceForeign}.`);
  report.check(foreign === 421 && foreignPort === 421, `A foreign Host got ${foreign}, with the port ${foreignPort}.`);
  report.check(
    owns.every((status) => status === 200),
    `Own names got ${owns.join(', ')}.`,
  );
  report.figure('Hosts: own twice, own and foreign, foreign, foreign with port, own names', statuses);
}
