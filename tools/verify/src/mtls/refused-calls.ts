import { randomBytes } from 'node:crypto';
import { Metadata } from '@grpc/grpc-js';
import { account, SERVICES, type ServiceName } from '@market-state/contracts';
import { callerTokens, tokenIdentity } from '@market-state/grpc';
import { bareCall } from '@market-state/testing';
import type { CertificateFolder } from './certificate-folder';

/** A call, and what it was answered with: a gRPC status, or undefined for no answer at all. */
export interface NamedCall {
  readonly name: string;
  readonly make: () => Promise<number | undefined>;
}

const { listTenants } = account.OperatorServiceService;
const { issueKey, verifyKey } = account.KeyServiceService;
const message = Buffer.from(listTenants.requestSerialize({ limit: 1, cursor: '' }));

/** Calls of a service that knows its callers by certificates; the first is right, and all others must reach no handler. */
export function callsByCertificates(address: string, certificates: CertificateFolder): [NamedCall, ...NamedCall[]] {
  const authority = certificates.authority();
  const call = { address, path: listTenants.path, message };
  const own = (service: ServiceName) => ({ authority, own: certificates.read(service) });
  return [
    { name: 'the right certificate', make: () => bareCall({ ...call, tls: own('operator') }) },
    { name: 'no certificate', make: () => bareCall({ ...call, tls: { authority } }) },
    { name: 'a plaintext connection', make: () => bareCall(call) },
    {
      name: 'an expired certificate',
      make: async () => bareCall({ ...call, tls: { authority, own: await certificates.expired('operator') } }),
    },
    {
      name: 'a certificate of another authority',
      make: async () => bareCall({ ...call, tls: { authority, own: await certificates.forged('operator') } }),
    },
    { name: 'TLS 1.2', make: () => bareCall({ ...call, tls: { ...own('operator'), maxVersion: 'TLSv1.2' } }) },
    { name: 'the certificate of another service', make: () => bareCall({ ...call, tls: own('labeling') }) },
    { name: 'a method not allowed', make: () => bareCall({ ...call, path: issueKey.path, tls: own('gateway') }) },
    {
      name: 'a token instead of a certificate',
      make: () => bareCall({ ...call, tls: { authority }, headers: headersOf(randomBytes(32), 'operator', 'account', listTenants.path) }),
    },
  ];
}

/**
 * Calls of a service that knows its callers by the tokens of its installation; the first is right, and all others must reach no handler.
 */
export function callsByTokens(address: string, installationToken: Buffer): [NamedCall, ...NamedCall[]] {
  const call = { address, path: listTenants.path, message };
  const from =
    (token: Buffer, caller: ServiceName, server: ServiceName, path: string = listTenants.path) =>
    () =>
      bareCall({ ...call, path, headers: headersOf(token, caller, server, path) });
  return [
    { name: 'the right token', make: from(installationToken, 'operator', 'account') },
    { name: 'no token', make: () => bareCall(call) },
    {
      name: 'a wrong token',
      make: () => bareCall({ ...call, headers: { authorization: `Bearer operator.${randomBytes(32).toString('base64url')}` } }),
    },
    {
      name: 'the token of the installation itself',
      make: () => bareCall({ ...call, headers: { authorization: `Bearer operator.${installationToken.toString('base64url')}` } }),
    },
    { name: 'a token of another installation', make: from(randomBytes(32), 'operator', 'account') },
    { name: 'a token for another server', make: from(installationToken, 'operator', 'labeling') },
    { name: 'the token of another service', make: from(installationToken, 'labeling', 'account', verifyKey.path) },
    { name: 'a method not allowed by token', make: from(installationToken, 'gateway', 'account', issueKey.path) },
  ];
}

function headersOf(token: Buffer, caller: ServiceName, server: ServiceName, path: string): Record<string, string> {
  const metadata = new Metadata();
  tokenIdentity(callerTokens(token, caller, SERVICES))
    .to(server)
    .prove(metadata, path);
  return { authorization: String(metadata.get('authorization')[0]) };
}
