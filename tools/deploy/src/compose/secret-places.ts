import type { Deployed } from '../deployed';
import { SECRETS_FOLDER, TLS_FOLDER } from '../places';
import type { SecretFile } from '../variables';

/** A file beside the Compose file, and where a container has it. */
export interface MountedFile {
  /** Name in the Compose file. */
  readonly source: string;
  /** Path from the folder of the Compose file. */
  readonly file: string;
  /** Path in the container. */
  readonly target: string;
}

/** Folders beside the Compose file. */
const SECRETS = 'secrets';
const CERTIFICATES = 'certificates';

/** The secrets of stores and the edge, which no process of ours reads. */
export const OWN_SECRETS = {
  postgresPassword: ownFile('postgres', 'PASSWORD'),
  redisUsers: ownFile('redis', 'USERS'),
  siteCertificate: ownFile('haproxy', 'CERTIFICATE'),
  administrator: ownFile('postgres', 'ADMIN_DATABASE_URL'),
} as const;

function ownFile(owner: string, name: string): MountedFile {
  return { source: sourceOf(owner, name), file: `${SECRETS}/${owner}/${name}`, target: `${SECRETS_FOLDER}/${name}` };
}

function sourceOf(owner: string, name: string): string {
  return `${owner}-${name.toLowerCase().replaceAll('_', '-')}`;
}

/** A secret of a service. */
export function secretOfService(service: string, { name }: Pick<SecretFile, 'name'>): MountedFile {
  return ownFile(service, name);
}

/** The certificate of a process, as `market-state certificates` writes it. */
export function certificateOf({ name }: Pick<Deployed, 'name'>): readonly MountedFile[] {
  return [
    { source: `${name}-certificate`, file: `${CERTIFICATES}/${name}.crt`, target: `${TLS_FOLDER}/tls.crt` },
    { source: `${name}-key`, file: `${CERTIFICATES}/${name}.key`, target: `${TLS_FOLDER}/tls.key` },
    { source: 'authority', file: `${CERTIFICATES}/ca.crt`, target: `${TLS_FOLDER}/ca.crt` },
  ];
}
