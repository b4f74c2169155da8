import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { Metadata } from '@grpc/grpc-js';
import { rpcSettingsOf } from '@market-state/config';
import { account, SERVICES, type ServiceName } from '@market-state/contracts';
import { createClient, openIdentity, callerTokens, tokenIdentity } from '@market-state/grpc';
import { createInstallation } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import { createLogger } from '@market-state/logging';
import { openFolder, openPrivateStores, readMetrics, startAccountProcess, withCloser, atOnce, bareCall } from '@market-state/testing';
import type { Suite } from './harness';
import { makeCertificateFolder, type CertificateFolder } from './certificate-folder';

/** A call and its gRPC status, undefined without an answer. */
interface NamedCall {
  readonly name: string;
  readonly make: () => Promise<number | undefined>;
}

const { listTenants } = account.OperatorServiceService;
const { issueKey, verifyKey } = account.KeyServiceService;
const message = Buffer.from(listTenants.requestSerialize({ limit: 1, cursor: '' }));

/** Calls to a service that authenticates by certificate; only the first is valid, and no other may reach a handler. */
function callsByCertificates(address: string, certificates: CertificateFolder): [NamedCall, ...NamedCall[]] {
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
 * Calls to a service that authenticates by installation tokens; only the first is valid, and no other may reach a
 * handler.
 */
function callsByTokens(address: string, installationToken: Buffer): [NamedCall, ...NamedCall[]] {
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

const CALLERS_AT_ONCE = 8;
const DEADLINE_MS = 60_000;

interface LoadedChanges {
  readonly changes: number;
  readonly calls: number;
  readonly failed: readonly string[];
}

/**
 * Calls from eight callers while every certificate is replaced repeatedly; each change waits until the client has
 * loaded it.
 */
async function changeUnderLoad(address: string, certificates: CertificateFolder, changes: number): Promise<LoadedChanges> {
  let read = 0;
  const hear = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (chunk.includes('certificates read')) read += 1;
      done();
    },
  });
  const identity = openIdentity('operator', rpcSettingsOf(certificates.variablesOf('operator')), {
    logger: createLogger('verify', { level: 'info', destination: hear }),
  });
  const client = createClient({
    definition: account.OperatorServiceService,
    address,
    peer: identity.to('account'),
    deadlineMs: DEADLINE_MS,
  });
  const failed: string[] = [];
  let calls = 0;
  let isOver = false;
  const callOn = async (): Promise<void> => {
    while (!isOver) {
      calls += 1;
      await client.call.listTenants({ limit: 1, cursor: '' }).catch((error: Error) => failed.push(error.message));
    }
  };
  const callers = atOnce(CALLERS_AT_ONCE, callOn);
  try {
    for (let change = 1; change <= changes; change += 1) {
      await certificates.renew();
      while (read < change + 1) await client.call.listTenants({ limit: 1, cursor: '' }).catch((error: Error) => failed.push(error.message));
    }
  } finally {
    isOver = true;
    await callers;
    await client.close();
    identity.close();
  }
  return { changes, calls, failed };
}

/** Labels of calls that reached a handler: all except those refused before one. */
const HANDLED = /^(?!.*code="(?:UNAUTHENTICATED|PERMISSION_DENIED)")/;

/** Statuses of a call refused before its handler; undefined means no answer. */
const REFUSALS: readonly (number | undefined)[] = [undefined, 7, 16];

interface Refusals {
  readonly made: number;
  readonly handled: number;
  readonly failures: readonly string[];
}

/** The first call must succeed: it shows that the others fail only for their own fault. */
async function refuseAllButFirst([right, ...calls]: [NamedCall, ...NamedCall[]], handled: () => Promise<number>): Promise<Refusals> {
  const untouched = await handled();
  const rightStatus = await right.make();
  const before = await handled();
  const failures = rightStatus === 0 && before === untouched + 1 ? [] : [`A call with ${right.name} got status ${rightStatus}.`];
  for (const { name, make } of calls) {
    const status = await make();
    if (!REFUSALS.includes(status)) failures.push(`A call with ${name} got status ${status}.`);
  }
  const reached = (await handled()) - before;
  if (reached > 0) failures.push(`${reached} of ${calls.length} calls reached a handler.`);
  return { made: calls.length, handled: reached, failures };
}

interface Host {
  readonly address: string;
  handled(): Promise<number>;
}

/** @param rpc variables that configure its callers' authentication */
async function hostAccount(closer: Closer, rpc: NodeJS.ProcessEnv): Promise<Host> {
  const stores = await openPrivateStores(closer, 'account');
  const { address, opsUrl, ready } = await startAccountProcess(closer, stores.postgresUrl('account'), { rpc });
  await ready();
  return {
    address,
    handled: async () => (await readMetrics(opsUrl)).sum('grpc_server_handling_seconds_count', HANDLED),
  };
}

async function verifyCertificates(
  closer: Closer,
  changes: number,
): Promise<{ readonly refused: Refusals; readonly loaded: LoadedChanges }> {
  const certificates = await makeCertificateFolder(closer);
  const { address, handled } = await hostAccount(closer, { NODE_ENV: 'production', ...certificates.variablesOf('account') });
  const refused = await refuseAllButFirst(callsByCertificates(address, certificates), handled);
  return { refused, loaded: await changeUnderLoad(address, certificates, changes) };
}

async function verifyTokens(closer: Closer): Promise<Refusals> {
  const token = randomBytes(32);
  const tokenFile = createInstallation(token, openFolder(closer)).writeTokenFile('account');
  const { address, handled } = await hostAccount(closer, { RPC_TOKEN_FILE: tokenFile });
  return refuseAllButFirst(callsByTokens(address, token), handled);
}

export const mtlsSuite: Suite = {
  id: 'mtls',
  claim: 'only a service that proves its identity and has permission reaches a handler; certificates changed under load fail no call',
  budget: { default: 20, counts: 'changes of every certificate' },
  short: { seed: 1, budget: 3 },
  async run({ report, budget }) {
    const tokens = await withCloser(verifyTokens);
    const { refused, loaded } = await withCloser((closer) => verifyCertificates(closer, budget));
    report.fail(
      ...tokens.failures,
      ...refused.failures,
      ...loaded.failed.slice(0, 10).map((sentence) => `A call failed while certificates changed: ${sentence}`),
    );
    report.figure('calls with a wrong token or none that reached a handler', `${tokens.handled} of ${tokens.made}`);
    report.figure('calls with a wrong certificate or none that reached a handler', `${refused.handled} of ${refused.made}`);
    report.figure(
      'calls that failed while certificates changed',
      `${loaded.failed.length} of ${loaded.calls}, over ${loaded.changes} changes`,
    );
  },
};
