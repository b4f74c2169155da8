import type { Deployed } from '../deployed';
import { argumentsOf, DATA_FOLDER, imageOf, PORTS, SECRETS_FOLDER, TLS_FOLDER, USER_ID } from '../locations';
import { pathOfSecret, type SecretFile } from '../variables';

export function migrationOf(service: string): string {
  return `migrate-${service}`;
}

function ownerSecretOf(service: string): string {
  return `${service}-owner`;
}

const OWNER_FOLDER = `${SECRETS_FOLDER}-owner`;
const tried = { backoffLimit: 6, activeDeadlineSeconds: 1_800, ttlSecondsAfterFinished: 86_400 };

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

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Labels };
  readonly [part: string]: unknown;
}

type Labels = Readonly<Record<string, string>>;

const PART_OF = { 'app.kubernetes.io/part-of': 'market-state' };

export const OURS: Labels = PART_OF;

export function labelsOf(process: string): Labels {
  return { 'app.kubernetes.io/name': process, ...PART_OF };
}

export function serviceLabels(service: string): Labels {
  return { 'app.kubernetes.io/component': service, ...PART_OF };
}

export const SETTINGS = 'settings';

/** Only the pods' group may read secret files (0440). */
const SECRET_MODE = 0o440;

const PROBE_SECONDS = 5;
/** A start on a busy machine may take a minute. */
const START_PROBES = 60;
/**
 * A gateway waits for the services behind it, which start at the same time; after this many seconds it is restarted.
 */
const PUBLIC_START_PROBES = 600;

/**
 * Variables from pod fields. A StatefulSet pod's name ends with its ordinal on every version; a label has it only since
 * 1.28.
 */
const FROM_POD: Readonly<Record<string, string>> = { SHARD_INDEX: 'metadata.name' };

const confined = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

const unprivileged = {
  runAsNonRoot: true,
  runAsUser: USER_ID,
  runAsGroup: USER_ID,
  fsGroup: USER_ID,
  seccompProfile: { type: 'RuntimeDefault' },
};

function secretVolume(name: string, secretName: string, files: readonly Pick<SecretFile, 'name'>[]) {
  return { name, secret: { secretName, defaultMode: SECRET_MODE, items: files.map((file) => ({ key: file.name, path: file.name })) } };
}

function environmentOf({ variables: { fixed, addresses, secrets, settings } }: Deployed, addressOf: (variable: string) => string) {
  return [
    ...Object.entries(fixed).map(([name, value]) => ({ name, value })),
    ...addresses.map((name) => ({ name, value: addressOf(name) })),
    ...secrets.map(({ name, variable }) => ({ name: variable, value: pathOfSecret(name) })),
    ...settings.map((name) => ({ name, valueFrom: sourceOf(name) })),
  ];
}

function sourceOf(name: string) {
  const fieldPath = FROM_POD[name];
  return fieldPath === undefined ? { configMapKeyRef: { name: SETTINGS, key: name, optional: true } } : { fieldRef: { fieldPath } };
}

function portsOf({ definition: { addressVariable, isPublic } }: Deployed) {
  return [
    { name: 'ops', containerPort: PORTS.ops },
    ...(addressVariable === undefined ? [] : [{ name: 'rpc', containerPort: PORTS.rpc }]),
    ...(isPublic === true ? [{ name: 'http', containerPort: PORTS.public }] : []),
  ];
}

function resourcesOf({ workload: { cpuMilli, memoryMib } }: Deployed) {
  return {
    requests: { cpu: `${cpuMilli}m`, memory: `${memoryMib.requested}Mi` },
    limits: { memory: `${memoryMib.allowed}Mi` },
  };
}

function probe(path: string, failureThreshold: number, periodSeconds = PROBE_SECONDS) {
  return { httpGet: { path, port: 'ops' }, periodSeconds, timeoutSeconds: 3, failureThreshold };
}

/**
 * Once started, a gateway stays in rotation while alive: during an outage it serves what it can and reports the rest.
 */
function probesOf({ definition: { isPublic } }: Deployed) {
  return {
    startupProbe: isPublic === true ? probe('/readyz', PUBLIC_START_PROBES, 1) : probe('/livez', START_PROBES, 1),
    livenessProbe: probe('/livez', 6),
    readinessProbe: probe(isPublic === true ? '/livez' : '/readyz', 3),
  };
}

export function podOf(process: Deployed, release: string, addressOf: (variable: string) => string) {
  const { name, service, workload, variables } = process;
  const hasSecrets = variables.secrets.length > 0;
  const mounts = [
    { name: 'tmp', mountPath: '/tmp' },
    { name: 'data', mountPath: DATA_FOLDER },
    { name: 'tls', mountPath: TLS_FOLDER, readOnly: true },
    ...(hasSecrets ? [{ name: 'secrets', mountPath: SECRETS_FOLDER, readOnly: true }] : []),
  ];
  return {
    metadata: {
      labels: { ...serviceLabels(service), ...labelsOf(name) },
      annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': String(PORTS.ops), 'prometheus.io/path': '/metrics' },
    },
    spec: {
      serviceAccountName: service,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: workload.graceSeconds,
      securityContext: unprivileged,
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: labelsOf(name) },
        },
      ],
      containers: [
        {
          name,
          image: imageOf(service, release),
          args: argumentsOf(name),
          env: environmentOf(process, addressOf),
          ports: portsOf(process),
          ...probesOf(process),
          resources: resourcesOf(process),
          securityContext: confined,
          volumeMounts: mounts,
        },
      ],
      volumes: [
        { name: 'tmp', emptyDir: {} },
        { name: 'data', emptyDir: {} },
        secretVolume('tls', `${name}-tls`, [{ name: 'tls.crt' }, { name: 'tls.key' }, { name: 'ca.crt' }]),
        ...(hasSecrets ? [secretVolume('secrets', service, variables.secrets)] : []),
      ],
    },
  };
}
