import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CertificateAndKey, makeAuthority, makeServiceCertificate } from '@market-state/certificates';
import { createLogger } from '@market-state/logging';
import { createMetrics } from '@market-state/telemetry';
import { certificateNameOf, openIdentity, type RpcIdentity } from '../src';
import { closeAll, connect, PEER, startEcho, until } from './harness';

const DAY_MS = 86_400_000;
/** Allows for a busy machine. */
const PATIENT = { deadlineMs: 30_000 };
const logger = createLogger('test', { level: 'silent' });
const folders: string[] = [];
const identities: RpcIdentity[] = [];
let authority: CertificateAndKey;

beforeAll(async () => {
  authority = await makeAuthority('Market State', { fromMs: Date.now() - DAY_MS, toMs: Date.now() + 365 * DAY_MS });
});
afterEach(async () => {
  await closeAll();
  for (const identity of identities.splice(0)) identity.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

interface Made {
  readonly name?: string;
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly by?: CertificateAndKey;
}

function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Certificate files of a service; `renew` replaces them. */
async function filesOf(
  service: string,
  { name = certificateNameOf(service), fromMs = Date.now() - 60_000, toMs = Date.now() + 30 * DAY_MS, by = authority }: Made = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  folders.push(folder);
  const settings = {
    kind: 'certificates',
    certificateFile: join(folder, 'c.crt'),
    keyFile: join(folder, 'c.key'),
    authorityFile: join(folder, 'ca.crt'),
  } as const;
  writeFileSync(settings.authorityFile, authority.certificate + (by === authority ? '' : by.certificate));
  const renew = async (): Promise<void> => {
    const made = await makeServiceCertificate(by, { name, fromMs, toMs });
    writeWhole(settings.keyFile, made.key);
    writeWhole(settings.certificateFile, made.certificate);
  };
  await renew();
  return { settings, renew };
}

async function identityWith(service: string, made?: Made, now?: () => number): Promise<RpcIdentity> {
  const { settings } = await filesOf(service, made);
  const identity = openIdentity(service, settings, { logger, now });
  identities.push(identity);
  return identity;
}

test('services with certificates of one authority speak to each other, each method to those who may', async () => {
  const { server } = await startEcho({}, { identity: await identityWith('server') });
  const friend = connect(server.address, { ...PATIENT, peer: (await identityWith('friend')).to('server') });
  const stranger = connect(server.address, { ...PATIENT, peer: (await identityWith('stranger')).to('server') });
  expect(await friend.call.echo({ text: 'x' })).toEqual({ text: 'x' });
  await expect(stranger.call.echo({ text: 'x' })).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
});

test('a plaintext call, another authority and a server that is not the one meant come to nothing', async () => {
  let reached = 0;
  const count = async ({ text }: { readonly text: string }) => {
    reached += 1;
    return { text };
  };
  const { server } = await startEcho({ echo: count, echoOnce: count }, { identity: await identityWith('server') });
  const other = await makeAuthority('Somebody', { fromMs: Date.now() - DAY_MS, toMs: Date.now() + DAY_MS });
  const forged = connect(server.address, {
    ...PATIENT,
    peer: (await identityWith('friend', { by: other, toMs: Date.now() + DAY_MS / 2 })).to('server'),
  });
  const mistaken = connect(server.address, { ...PATIENT, peer: (await identityWith('friend')).to('account') });
  for (const client of [connect(server.address, { ...PATIENT, peer: PEER }), forged, mistaken])
    await expect(client.call.echoOnce({ text: 'x' })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(reached).toBe(0);
});

test.each([
  ['91 days', { toMs: Date.now() + 91 * DAY_MS }, /TLS_CERT_FILE: is valid for more than 90 days/],
  ['a past one', { fromMs: Date.now() - 2 * DAY_MS, toMs: Date.now() - DAY_MS }, /TLS_CERT_FILE: has expired/],
  ['a future one', { fromMs: Date.now() + DAY_MS, toMs: Date.now() + 2 * DAY_MS }, /TLS_CERT_FILE: is not valid yet/],
  ['another service', { name: certificateNameOf('friend') }, /TLS_CERT_FILE: is the certificate of friend, not of server/],
  ['no service', { name: 'example.com' }, /TLS_CERT_FILE: is the certificate of no service, not of server/],
])('a certificate of %s is refused at start', async (_name, made, fault) => {
  await expect(identityWith('server', made)).rejects.toThrow(fault);
});

test('every file that cannot be read or used is named', async () => {
  const { settings } = await filesOf('server');
  const { settings: others } = await filesOf('server');
  expect(() => openIdentity('server', { ...settings, certificateFile: '/nowhere', keyFile: '/nowhere' }, { logger })).toThrow(
    /TLS_CERT_FILE: cannot be read: ENOENT\n {2}TLS_KEY_FILE: cannot be read: ENOENT/,
  );
  expect(() => openIdentity('server', { ...settings, keyFile: others.keyFile }, { logger })).toThrow(
    /TLS_KEY_FILE: is not the key of the certificate/,
  );
  expect(() => openIdentity('server', { ...settings, authorityFile: settings.keyFile }, { logger })).toThrow(
    /TLS_CA_FILE: does not contain a certificate in PEM format/,
  );
});

test('a certificate of another authority is refused at start, and one that leads to ours by another certificate is not', async () => {
  const other = await makeAuthority('Somebody', { fromMs: Date.now() - DAY_MS, toMs: Date.now() + DAY_MS });
  const { settings } = await filesOf('server', { by: other });
  writeFileSync(settings.authorityFile, authority.certificate);
  expect(() => openIdentity('server', settings, { logger })).toThrow(/TLS_CERT_FILE: is not signed by an authority in TLS_CA_FILE/);
  writeFileSync(settings.authorityFile, authority.certificate + other.certificate);
  identities.push(openIdentity('server', settings, { logger }));
});

test('a caller of an authority that was removed is refused on the connection that it has', async () => {
  const old = await makeAuthority('Old', { fromMs: Date.now() - DAY_MS, toMs: Date.now() + 60 * DAY_MS });
  const ofServer = await filesOf('server');
  writeFileSync(ofServer.settings.authorityFile, old.certificate + authority.certificate);
  const serving = openIdentity('server', ofServer.settings, { logger });
  identities.push(serving);
  const { server } = await startEcho({}, { identity: serving });
  const ours = connect(server.address, { ...PATIENT, peer: (await identityWith('friend')).to('server') });
  const removed = connect(server.address, { ...PATIENT, peer: (await identityWith('friend', { by: old })).to('server') });
  expect(await removed.call.echo({ text: 'x' })).toEqual({ text: 'x' });
  writeWhole(ofServer.settings.authorityFile, authority.certificate);
  const refused = async (): Promise<boolean> =>
    removed.call.echo({ text: 'x' }).then(
      () => false,
      ({ code }: { code: string }) => code === 'UNAUTHENTICATED',
    );
  while (!(await refused())) await new Promise((resolve) => setImmediate(resolve));
  expect(await ours.call.echo({ text: 'x' })).toEqual({ text: 'x' });
});

test('in the last week of a certificate it is warned of once a day', async () => {
  // Certificates expire at whole seconds.
  let nowMs = Math.floor(Date.now() / 1_000) * 1_000;
  const lines: string[] = [];
  const warned = () => lines.filter((line) => line.includes('expires within a week')).length;
  const { settings } = await filesOf('server', { toMs: nowMs + 8 * DAY_MS });
  const metrics = createMetrics('test');
  identities.push(
    openIdentity('server', settings, {
      logger: createLogger('test', { level: 'info', destination: { write: (line) => void lines.push(line) } }),
      metrics,
      now: () => nowMs,
    }),
  );
  expect(await metrics.registry.metrics()).toMatch(/^rpc_certificate_seconds_left\{?.*\}? 691200$/m);
  expect(warned()).toBe(0);
  nowMs += 2 * DAY_MS;
  await until('the first warning', () => warned() === 1);
  nowMs += DAY_MS;
  await until('the second warning', () => warned() === 2);
});

test('a caller whose certificate has ended since it connected is refused', async () => {
  let nowMs = Date.now();
  const { server } = await startEcho({}, { identity: await identityWith('server', { toMs: Date.now() + 60 * DAY_MS }, () => nowMs) });
  const friend = connect(server.address, { ...PATIENT, peer: (await identityWith('friend', { toMs: Date.now() + DAY_MS })).to('server') });
  expect(await friend.call.echo({ text: 'x' })).toEqual({ text: 'x' });
  nowMs += 2 * DAY_MS;
  await expect(friend.call.echo({ text: 'x' })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
});

test('certificates that change while calls and a stream run fail none of them', async () => {
  const [ofServer, ofFriend] = [await filesOf('server'), await filesOf('friend')];
  let replaced = 0;
  const note = createLogger('test', {
    level: 'info',
    destination: { write: (line) => void (replaced += line.includes('certificates read') ? 1 : 0) },
  });
  const [serving, calling] = [
    openIdentity('server', ofServer.settings, { logger: note }),
    openIdentity('friend', ofFriend.settings, { logger: note }),
  ];
  identities.push(serving, calling);
  const { server } = await startEcho(
    {
      async *repeat({ text }, { signal }) {
        yield { text };
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      },
    },
    { identity: serving },
  );
  const client = connect(server.address, { ...PATIENT, peer: calling.to('server') });
  const stream = client.call.repeat({ text: 'first' })[Symbol.asyncIterator]();
  await stream.next();
  let answered = 0;
  for (let round = 1; round <= 3; round += 1) {
    await Promise.all([ofServer.renew(), ofFriend.renew()]);
    while (replaced < 2 + 2 * round) {
      await Promise.all([1, 2, 3, 4].map(async (text) => client.call.echoOnce({ text: String(text) })));
      answered += 4;
    }
  }
  expect(answered).toBeGreaterThan(0);
  await stream.return?.();
});
