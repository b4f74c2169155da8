import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeAuthority, makeServiceCertificate } from '@market-state/certificates';
import type { ServiceName } from '@market-state/contracts';
import { certificateNameOf } from '@market-state/grpc';
import { userProgramFile } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import { type Keyed, openFolder } from '@market-state/testing';

const DAY_MS = 86_400_000;

export interface CertificateFolder {
  readonly folder: string;
  variablesOf(service: ServiceName): NodeJS.ProcessEnv;
  read(service: ServiceName): Keyed;
  authority(): string;
  /** Uses the command, as an operator does. */
  renew(): Promise<void>;
  expired(service: ServiceName): Promise<Keyed>;
  forged(service: ServiceName): Promise<Keyed>;
}

async function command(folder: string, ...args: readonly string[]): Promise<void> {
  const program = userProgramFile();
  await promisify(execFile)(process.execPath, [program, 'certificates', '--out', folder, ...args], { env: { PATH: process.env['PATH'] } });
}

export async function makeCertificateFolder(closer: Closer): Promise<CertificateFolder> {
  const folder = openFolder(closer);
  await command(folder);
  const at = (name: string): string => join(folder, name);
  const pair = (name: string): Keyed => ({
    certificate: readFileSync(at(`${name}.crt`), 'utf8'),
    key: readFileSync(at(`${name}.key`), 'utf8'),
  });
  return {
    folder,
    variablesOf: (service) => ({ TLS_CERT_FILE: at(`${service}.crt`), TLS_KEY_FILE: at(`${service}.key`), TLS_CA_FILE: at('ca.crt') }),
    read: pair,
    authority: () => readFileSync(at('ca.crt'), 'utf8'),
    renew: () => command(folder, '--renew'),
    expired: (service) =>
      makeServiceCertificate(pair('ca'), { name: certificateNameOf(service), fromMs: Date.now() - 2 * DAY_MS, toMs: Date.now() - DAY_MS }),
    async forged(service) {
      const validity = { fromMs: Date.now() - DAY_MS, toMs: Date.now() + DAY_MS };
      return makeServiceCertificate(await makeAuthority('Market State', validity), { name: certificateNameOf(service), ...validity });
    },
  };
}
