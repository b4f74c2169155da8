import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInstallation } from '@market-state/launcher';
import type { Proof } from '../proof';
import { hostAccount } from './account-host';
import { makeCertificateFolder } from './certificate-folder';
import { changeUnderLoad, type LoadedChanges } from './changes-under-load';
import { callsByCertificates, callsByTokens, type NamedCall } from './refused-calls';

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

async function proveCertificates(changes: number): Promise<{ readonly refused: Refusals; readonly loaded: LoadedChanges }> {
  const certificates = await makeCertificateFolder();
  try {
    const host = await hostAccount(certificates.variablesOf('account'));
    try {
      const refused = await refuseAllButFirst(callsByCertificates(host.address, certificates), () => host.handled());
      return { refused, loaded: await changeUnderLoad(host.address, certificates, changes) };
    } finally {
      await host.close();
    }
  } finally {
    certificates.remove();
  }
}

async function proveTokens(): Promise<Refusals> {
  const folder = mkdtempSync(join(tmpdir(), 'prove-tokens-'));
  try {
    const token = randomBytes(32);
    const host = await hostAccount({ RPC_TOKEN_FILE: createInstallation(token, folder).writeTokenFile('account') });
    try {
      return await refuseAllButFirst(callsByTokens(host.address, token), () => host.handled());
    } finally {
      await host.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Who may call a service, and that nobody else does. */
export const mtlsProof: Proof = {
  id: 'mtls',
  claim:
    'no call reaches a handler but from a service that proves who it is and may make it; certificates that change under load fail no call',
  budget: { default: 20, counts: 'changes of every certificate' },
  async run({ budget }) {
    const tokens = await proveTokens();
    const { refused, loaded } = await proveCertificates(budget);
    return {
      failures: [
        ...tokens.failures,
        ...refused.failures,
        ...loaded.failed.slice(0, 10).map((sentence) => `A call failed while certificates changed: ${sentence}`),
      ],
      timing: [],
      figures: [
        ['calls with a wrong token or none that reached a handler', `${tokens.handled} of ${tokens.made}`],
        ['calls with a wrong certificate or none that reached a handler', `${refused.handled} of ${refused.made}`],
        ['calls that failed while certificates changed', `${loaded.failed.length} of ${loaded.calls}, over ${loaded.changes} changes`],
      ],
    };
  },
};
