import type { Deployed } from '../deployed';
import { argumentsOf, DATA_FOLDER, imageOf, PORTS, SECRETS_FOLDER, TLS_FOLDER, USER_ID } from '../places';
import { pathOfSecret, type SecretFile } from '../variables';

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

/** An object of the Kubernetes API, as it is written to a manifest. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Labels };
  readonly [part: string]: unknown;
}

type Labels = Readonly<Record<string, string>>;

const PART_OF = { 'app.kubernetes.io/part-of': 'market-state' };

/** What every pod of ours has, and nobody else's. */
export const OURS: Labels = PART_OF;

/** The labels by which the pods of a process are found. */
export function labelsOf(process: string): Labels {
  return { 'app.kubernetes.io/name': process, ...PART_OF };
}

/** The labels of everything that belongs to a service. */
export function serviceLabels(service: string): Labels {
  return { 'app.kubernetes.io/component': service, ...PART_OF };
}

/** The ConfigMap of plain settings. */
export const SETTINGS = 'settings';

/** Files of secrets are for the group that every pod has alone to read (0440). */
const SECRET_MODE = 0o440;

const PROBE_SECONDS = 5;
/** A start may wait a minute for a busy machine. */
const START_PROBES = 60;
/** A gateway waits for all behind it, which are started with it; after so many seconds it is started again. */
const PUBLIC_START_PROBES = 600;

/**
 * Variables that a pod takes from itself. A pod of a StatefulSet has its ordinal at the end of its name on every version; in a label only
 * since 1.28.
 */
const FROM_POD: Readonly<Record<string, string>> = { SHARD_INDEX: 'metadata.name' };

/** What no container of ours may do. */
const confined = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

/** As whom every pod of ours runs. */
const unprivileged = {
  runAsNonRoot: true,
  runAsUser: USER_ID,
  runAsGroup: USER_ID,
  fsGroup: USER_ID,
  seccompProfile: { type: 'RuntimeDefault' },
};

/** A volume of secrets, each a file with its name. */
function secretVolume(name: string, secretName: string, files: readonly Pick<SecretFile, 'name'>[]) {
  return { name, secret: { secretName, defaultMode: SECRET_MODE, items: files.map((file) => ({ key: file.name, path: file.name })) } };
}

/** The variables of a process's container: ours, then those that the operator may set. */
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
    requests: { cpu: `${cpuMilli}m`, memory: `${memoryMib.asked}Mi` },
    limits: { memory: `${memoryMib.allowed}Mi` },
  };
}

function probe(path: string, failureThreshold: number, periodSeconds = PROBE_SECONDS) {
  return { httpGet: { path, port: 'ops' }, periodSeconds, timeoutSeconds: 3, failureThreshold };
}

/**
 * A gateway starts when all behind it is there. Later it takes calls while it is alive: where one service is away, it answers what it can
 * and says what it cannot, and without any gateway nobody would.
 */
function probesOf({ definition: { isPublic } }: Deployed) {
  return {
    startupProbe: isPublic === true ? probe('/readyz', PUBLIC_START_PROBES, 1) : probe('/livez', START_PROBES, 1),
    livenessProbe: probe('/livez', 6),
    readinessProbe: probe(isPublic === true ? '/livez' : '/readyz', 3),
  };
}

/** The pod of a process. */
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
