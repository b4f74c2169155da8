import { copyFileSync, readFileSync, statSync } from 'node:fs';
import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { SERVICES } from '@market-state/contracts';
import { openIdentity } from '@market-state/grpc';
import { silentLogger } from '@market-state/logging';
import { createWorkplace } from './run';

const place = createWorkplace();
afterAll(() => place.remove());

const at = (folder: string, file: string): string => join(place.folder, folder, file);
const certificateOf = (folder: string, name: string): X509Certificate => new X509Certificate(readFileSync(at(folder, `${name}.crt`)));

test('it makes an authority and a certificate of each service, with keys for their owner alone, that a service can be proved with', async () => {
  const { exitCode, stderr } = await place.run('admin', 'certificates', '--out', 'tls');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const authority = certificateOf('tls', 'ca');
  for (const service of SERVICES) {
    const certificate = certificateOf('tls', service);
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)).toBe(30 * 86_400_000);
    expect(statSync(at('tls', `${service}.key`)).mode & 0o777).toBe(0o600);
    const files = {
      kind: 'certificates',
      certificateFile: at('tls', `${service}.crt`),
      keyFile: at('tls', `${service}.key`),
      authorityFile: at('tls', 'ca.crt'),
    } as const;
    openIdentity(service, files, { logger: silentLogger() }).close();
  }
  expect(statSync(at('tls', 'ca.key')).mode & 0o777).toBe(0o600);
});

test('--renew keeps the authority and replaces the rest; without it an authority is never overwritten', async () => {
  await place.run('admin', 'certificates', '--out', 'renewed', '--days', '90');
  const [authority, gateway] = [certificateOf('renewed', 'ca'), certificateOf('renewed', 'gateway')];
  expect(await place.run('admin', 'certificates', '--out', 'renewed')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--renew') as string,
  });
  expect((await place.run('admin', 'certificates', '--out', 'renewed', '--renew')).exitCode).toBe(0);
  expect(certificateOf('renewed', 'ca').fingerprint256).toBe(authority.fingerprint256);
  expect(certificateOf('renewed', 'gateway').fingerprint256).not.toBe(gateway.fingerprint256);
});

test('an authority whose key is another’s is not renewed with, and no file is changed', async () => {
  await place.run('admin', 'certificates', '--out', 'one');
  await place.run('admin', 'certificates', '--out', 'two');
  copyFileSync(at('two', 'ca.key'), at('one', 'ca.key'));
  const before = certificateOf('one', 'gateway').fingerprint256;
  expect(await place.run('admin', 'certificates', '--out', 'one', '--renew')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('ca.key in') as string,
  });
  expect(certificateOf('one', 'gateway').fingerprint256).toBe(before);
});

test('a life over 90 days, and a renewal without an authority, are refused', async () => {
  expect(await place.run('admin', 'certificates', '--out', 'long', '--days', '91')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('1 to 90') as string,
  });
  expect(await place.run('admin', 'certificates', '--out', 'nothing', '--renew')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('No authority') as string,
  });
});
