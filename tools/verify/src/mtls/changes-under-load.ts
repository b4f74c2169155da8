import { Writable } from 'node:stream';
import { rpcSettingsOf } from '@market-state/config';
import { account } from '@market-state/contracts';
import { createClient, openIdentity } from '@market-state/grpc';
import { createLogger } from '@market-state/logging';
import { atOnce } from '@market-state/testing';
import type { CertificateFolder } from './certificate-folder';

const CALLERS_AT_ONCE = 8;
/** For a machine that has other work. */
const DEADLINE_MS = 60_000;

export interface LoadedChanges {
  readonly changes: number;
  readonly calls: number;
  /** Sentences of those that failed. */
  readonly failed: readonly string[];
}

/**
 * Calls one after the other from eight callers while every certificate is replaced again and again; each change waits until the client has
 * read it.
 */
export async function changeUnderLoad(address: string, certificates: CertificateFolder, changes: number): Promise<LoadedChanges> {
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
