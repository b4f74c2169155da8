import { argumentsOf, imageOf, SECRETS_FOLDER } from '../places';
import { type KubernetesObject, labelsOf, serviceLabels } from './object';
import { confined, secretVolume, unprivileged } from './pod';

/** Name of the Job that brings a service's database up to date, and of its pods. */
export function migrationOf(service: string): string {
  return `migrate-${service}`;
}

/** The Secret with the URL of the role that owns a service's database, which no process of the service sees. */
function ownerSecretOf(service: string): string {
  return `${service}-owner`;
}

const OWNER_FOLDER = `${SECRETS_FOLDER}-owner`;
const tried = { backoffLimit: 6, activeDeadlineSeconds: 1_800, ttlSecondsAfterFinished: 86_400 };

/** Brings the database of a service up to the migrations of a release. */
export function migrationJobOf(service: string, release: string): KubernetesObject {
  const name = migrationOf(service);
  const labels = { ...serviceLabels(service), ...labelsOf(name) };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, labels },
    spec: {
      ...tried,
      template: {
        metadata: { labels },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          restartPolicy: 'OnFailure',
          securityContext: unprivileged,
          containers: [
            {
              name: 'migrate',
              image: imageOf('migrate', release),
              args: argumentsOf('migrate', service),
              env: [
                { name: 'NODE_ENV', value: 'production' },
                { name: 'DATABASE_URL_FILE', value: `${SECRETS_FOLDER}/DATABASE_URL` },
                { name: 'MIGRATION_DATABASE_URL_FILE', value: `${OWNER_FOLDER}/MIGRATION_DATABASE_URL` },
              ],
              resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '512Mi' } },
              securityContext: confined,
              volumeMounts: [
                { name: 'tmp', mountPath: '/tmp' },
                { name: 'secrets', mountPath: SECRETS_FOLDER, readOnly: true },
                { name: 'owner', mountPath: OWNER_FOLDER, readOnly: true },
              ],
            },
          ],
          volumes: [
            { name: 'tmp', emptyDir: {} },
            secretVolume('secrets', service, [{ name: 'DATABASE_URL' }]),
            secretVolume('owner', ownerSecretOf(service), [{ name: 'MIGRATION_DATABASE_URL' }]),
          ],
        },
      },
    },
  };
}
