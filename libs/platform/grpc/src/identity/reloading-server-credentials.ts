import { ServerCredentials } from '@grpc/grpc-js';
import type { CertificateBytes } from './certificate-files';

function contextOf({ certificate, key, authority }: CertificateBytes) {
  return { cert: certificate, key, ca: authority, minVersion: 'TLSv1.3' } as const;
}

/** Credentials of a server that requires a certificate of our authority, and whose own can be replaced while it serves. */
export class ReloadingServerCredentials extends ServerCredentials {
  constructor(bytes: CertificateBytes) {
    super({ requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' }, contextOf(bytes));
  }

  /** New connections use these; open ones continue. */
  replace(bytes: CertificateBytes): void {
    this.updateSecureContextOptions(contextOf(bytes));
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}
