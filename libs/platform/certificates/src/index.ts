import { randomBytes } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const SERIAL_BYTES = 16;

/** Certificate and private key (PKCS#8), both PEM. */
export interface CertificateAndKey {
  readonly certificate: string;
  readonly key: string;
}

interface Validity {
  readonly fromMs: number;
  readonly toMs: number;
}

/** ECDSA P-256; the self-signed certificate may sign service certificates but no other authority. */
export async function makeAuthority(name: string, { fromMs, toMs }: Validity): Promise<CertificateAndKey> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    name: [{ CN: [name] }],
    notBefore: new Date(fromMs),
    notAfter: new Date(toMs),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: pem(certificate), key: await keyPem(keys.privateKey) };
}

interface ServiceCertificateOptions extends Validity {
  readonly name: string;
}

/** For both server and client use, with a new ECDSA P-256 key. */
export async function makeServiceCertificate(
  authority: CertificateAndKey,
  { name, fromMs, toMs }: ServiceCertificateOptions,
): Promise<CertificateAndKey> {
  const keys = await newKeys();
  const issuer = new X509Certificate(authority.certificate);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: [{ CN: [name] }],
    issuer: issuer.subject,
    notBefore: new Date(fromMs),
    notAfter: new Date(toMs),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: await signingKeyOf(authority.key),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
      new SubjectAlternativeNameExtension([{ type: 'dns', value: name }]),
    ],
  });
  return { certificate: pem(certificate), key: await keyPem(keys.privateKey) };
}

function newKeys() {
  return crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

/** Serial numbers must be positive. */
function newSerial(): string {
  const bytes = randomBytes(SERIAL_BYTES);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}

function pem(certificate: X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}

async function keyPem(key: Parameters<typeof crypto.subtle.exportKey>[1]): Promise<string> {
  const bytes = Buffer.from(await crypto.subtle.exportKey('pkcs8', key));
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n');
}

function signingKeyOf(text: string) {
  const bytes = Buffer.from(text.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64');
  return crypto.subtle.importKey('pkcs8', bytes, ALGORITHM, false, ['sign']);
}
