import { createPrivateKey, X509Certificate } from 'node:crypto';
import { makeAuthority, makeServiceCertificate } from './index';

const DAY_MS = 86_400_000;
const fromMs = Date.UTC(2026, 0, 1);

test('a certificate is signed by its authority, carries one name, and lives as long as asked', async () => {
  const authority = await makeAuthority('Market State', { fromMs, toMs: fromMs + 3_650 * DAY_MS });
  const other = await makeAuthority('Market State', { fromMs, toMs: fromMs + DAY_MS });
  const made = await makeServiceCertificate(authority, { name: 'gateway.market-state.internal', fromMs, toMs: fromMs + 30 * DAY_MS });
  const certificate = new X509Certificate(made.certificate);
  const issuer = new X509Certificate(authority.certificate);
  expect(certificate.verify(issuer.publicKey)).toBe(true);
  expect(certificate.verify(new X509Certificate(other.certificate).publicKey)).toBe(false);
  expect(certificate.subjectAltName).toBe('DNS:gateway.market-state.internal');
  expect(certificate.ca).toBe(false);
  expect(issuer.ca).toBe(true);
  expect(Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)).toBe(30 * DAY_MS);
  expect(certificate.checkPrivateKey(createPrivateKey(made.key))).toBe(true);
  expect(createPrivateKey(made.key).asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
});

test('no two certificates share a serial number or a key', async () => {
  const authority = await makeAuthority('Market State', { fromMs, toMs: fromMs + DAY_MS });
  const all = await Promise.all(
    [1, 2, 3].map(() => makeServiceCertificate(authority, { name: 'a.market-state.internal', fromMs, toMs: fromMs + DAY_MS })),
  );
  expect(new Set(all.map(({ certificate }) => new X509Certificate(certificate).serialNumber)).size).toBe(3);
  expect(new Set(all.map(({ key }) => key)).size).toBe(3);
});
