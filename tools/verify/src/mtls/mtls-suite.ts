import { randomBytes } from 'node:crypto';
import { createInstallation } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import { openFolder, openPrivateStores, readMetrics, startAccountProcess, withCloser } from '@market-state/testing';
import type { Suite } from '../harness';
import { makeCertificateFolder } from './certificate-folder';
import { changeUnderLoad, type LoadedChanges } from './changes-under-load';
import { callsByCertificates, callsByTokens, type NamedCall } from './refused-calls';

/** Labels of calls that reached a handler: all but those refused before one. */
const HANDLED = /^(?!.*code="(?:UNAUTHENTICATED|PERMISSION_DENIED)")/;

/** Statuses of a call that was refused before its handler; no answer at all is one too. */
const REFUSALS: readonly (number | undefined)[] = [undefined, 7, 16];

interface Refusals {
  readonly made: number;
  readonly handled: number;
  readonly failures: readonly string[];
}

/** The first call must be answered: it shows that the others are refused for what is wrong with them. */
async function refuseAllButFirst([right, ...calls]: [NamedCall, ...NamedCall[]], handled: () => Promise<number>): Promise<Refusals> {
  const untouched = await handled();
  const rightStatus = await right.make();
  const before = await handled();
  const failures =
    rightStatus === 0 && before === untouched + 1 ? [] : [`A call with ${right.name} was answered with status ${rightStatus}.`];
  for (const { name, make } of calls) {
    const status = await make();
    if (!REFUSALS.includes(status)) failures.push(`A call with ${name} was answered with status ${status}.`);
  }
  const reached = (await handled()) - before;
  if (reached > 0) failures.push(`${reached} of ${calls.length} calls reached a handler.`);
  return { made: calls.length, handled: reached, failures };
}

/** The account service as it is shipped, on stores of its own. */
interface Host {
  readonly address: string;
  /** Calls that reached a handler so far. */
  handled(): Promise<number>;
}

/** @param rpc the variables by which it knows its callers */
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

/** Who may call a service, and that nobody else does. */
export const mtlsSuite: Suite = {
  id: 'mtls',
  claim:
    'no call reaches a handler but from a service that proves who it is and may make it; certificates that change under load fail no call',
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
