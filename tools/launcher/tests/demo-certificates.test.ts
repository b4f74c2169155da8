import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoAuthorityFile, keepDemoCertificates } from '../src/system/demo-certificates';

const DAY_MS = 86_400_000;
const nowMs = Date.now();

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'launcher-demo-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

function file(name: string): string {
  return readFileSync(join(dataDir, 'demo-tls', name), 'utf8');
}

function all(): readonly string[] {
  return ['ca.crt', 'ca.key', 'localhost.crt', 'localhost.key'].map(file);
}

test('clients that trust the authority trust a receiver on this machine, and only its owner can read the keys', async () => {
  await keepDemoCertificates(dataDir, nowMs);
  for (const name of readdirSync(join(dataDir, 'demo-tls')).filter((name) => name.endsWith('.key')))
    expect(statSync(join(dataDir, 'demo-tls', name)).mode & 0o777).toBe(0o600);
  const server = createServer({ cert: file('localhost.crt'), key: file('localhost.key') }, (_request, response) => response.end('yes'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ca = readFileSync(demoAuthorityFile(dataDir), 'utf8');
  const [answer] = await once(get(`https://localhost:${port}/`, { ca, agent: false }), 'response');
  expect(answer.statusCode).toBe(200);
  answer.resume();
  server.close();
});

test('certificates are reused until they are about to expire; then the authority signs another', async () => {
  await keepDemoCertificates(dataDir, nowMs);
  const made = all();
  await keepDemoCertificates(dataDir, nowMs + 100 * DAY_MS);
  expect(all()).toEqual(made);
  await keepDemoCertificates(dataDir, nowMs + 200 * DAY_MS);
  const [authority, , certificate = '', key] = all();
  expect([authority, certificate === made[2], key === made[3]]).toEqual([made[0], false, false]);
  expect(Date.parse(new X509Certificate(certificate).validTo)).toBeGreaterThan(nowMs + 500 * DAY_MS);
});

test('mismatched files are replaced', async () => {
  await keepDemoCertificates(dataDir, nowMs);
  const made = all();
  writeFileSync(join(dataDir, 'demo-tls', 'ca.key'), file('localhost.key'));
  await keepDemoCertificates(dataDir, nowMs);
  const [authority = '', , certificate = ''] = all();
  expect(authority).not.toBe(made[0]);
  expect(new X509Certificate(certificate).verify(new X509Certificate(authority).publicKey)).toBe(true);
});
