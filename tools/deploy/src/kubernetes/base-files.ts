import { deployed, processAt, servicesWithDatabase, type Deployed } from '../deployed';
import { PORTS } from '../locations';
import { commentOf, yamlOf } from '../yaml-text';
import { migrationJobOf, migrationOf, type KubernetesObject, serviceLabels, labelsOf, SETTINGS, podOf } from './pod';
import { migrationPolicy, networkPolicyOf, sharedPolicies, tracesPolicy } from './network';
import type { Scaling, Workload } from '../workloads';

const CPU_PERCENT = 60;
const METRICS = 'http://prometheus.monitoring.svc:9090';

function autoscalerOf({ name, service, workload }: Deployed): KubernetesObject[] {
  const { scaling } = workload;
  return scaling?.by === 'cpu' ? [autoscaler(name, service, workload, scaling)] : [];
}

/** Scales by waiting time, with KEDA and Prometheus. */
function scaledObjectOf({ name, service, workload }: Deployed): KubernetesObject[] {
  const { scaling } = workload;
  return scaling?.by === 'wait' ? [scaledObject(name, service, workload, scaling)] : [];
}

type By<How extends Scaling['by']> = Extract<Scaling, { by: How }>;

function autoscaler(name: string, service: string, workload: Workload, { replicasMax, lagMs }: By<'cpu'>): KubernetesObject {
  const lag = {
    type: 'Pods',
    pods: { metric: { name: 'event_loop_delay_p99_seconds' }, target: { type: 'AverageValue', averageValue: `${lagMs}m` } },
  };
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name, labels: serviceLabels(service) },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: workload.kind, name },
      minReplicas: workload.replicas,
      maxReplicas: replicasMax,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: CPU_PERCENT } } },
        ...(lagMs === undefined ? [] : [lag]),
      ],
    },
  };
}

/** Without samples in five minutes the histogram has no percentile: that counts as 0. */
function scaledObject(
  name: string,
  service: string,
  workload: Workload,
  { replicasMax, histogram, seconds }: By<'wait'>,
): KubernetesObject {
  const percentile = `histogram_quantile(0.95, sum by (le) (rate(${histogram}_bucket[5m])))`;
  return {
    apiVersion: 'keda.sh/v1alpha1',
    kind: 'ScaledObject',
    metadata: { name, labels: serviceLabels(service) },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: workload.kind, name },
      minReplicaCount: workload.replicas,
      maxReplicaCount: replicasMax,
      triggers: [
        {
          type: 'prometheus',
          metricType: 'Value',
          metadata: { serverAddress: METRICS, query: `(${percentile} >= 0) or vector(0)`, threshold: String(seconds) },
        },
      ],
    },
  };
}

/** Without a replica count if something else sets it. */
function workloadOf(process: Deployed, release: string, addressOf: (variable: string) => string): KubernetesObject {
  const { name, service, workload } = process;
  const shared = {
    selector: { matchLabels: labelsOf(name) },
    template: podOf(process, release, addressOf),
    ...(workload.scaling === undefined ? { replicas: workload.replicas } : {}),
  };
  return {
    apiVersion: 'apps/v1',
    kind: workload.kind,
    metadata: { name, labels: serviceLabels(service) },
    spec:
      workload.kind === 'StatefulSet'
        ? { ...shared, serviceName: name, podManagementPolicy: 'Parallel' }
        : { ...shared, strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } },
  };
}

/** A headless Service for RPCs, so that callers balance over its pods, and one address for the public port. */
function servicesOf({ name, service, workload, definition }: Deployed): KubernetesObject[] {
  const object = (objectName: string, spec: object): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: objectName, labels: serviceLabels(service) },
    spec: { selector: labelsOf(name), ...spec },
  });
  const isNamed = definition.addressVariable !== undefined;
  return [
    ...(isNamed
      ? [
          object(name, {
            clusterIP: 'None',
            // Pods of a shard answer before they are ready, and report that themselves.
            ...(workload.kind === 'StatefulSet' ? { publishNotReadyAddresses: true } : {}),
            ports: [{ name: 'rpc', port: PORTS.rpc, targetPort: 'rpc' }],
          }),
        ]
      : []),
    ...(definition.isPublic === true ? [object(name, { ports: [{ name: 'http', port: 80, targetPort: 'http' }] })] : []),
  ];
}

function disruptionBudgetOf({ name, service, workload }: Deployed): KubernetesObject[] {
  if (!workload.isKeptUp) return [];
  return [
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name, labels: serviceLabels(service) },
      spec: { maxUnavailable: 1, selector: { matchLabels: labelsOf(name) } },
    },
  ];
}

/** Settings that the overlay must replace or may keep; all others have defaults. */
const BASE_SETTINGS = { FEED: 'hyperliquid', LOG_LEVEL: 'info', GATEWAY_COUNT: '2' };

const addressOf = (variable: string): string => `${processAt(variable)}:${PORTS.rpc}`;

const services = [...new Set(deployed.map(({ service }) => service))];

function accountOf(service: string): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: service, labels: serviceLabels(service) },
    automountServiceAccountToken: false,
  };
}

function objectsOf(service: string, release: string): readonly KubernetesObject[] {
  const processes = deployed.filter((process) => process.service === service);
  return [
    accountOf(service),
    ...processes.flatMap((process) => [
      workloadOf(process, release, addressOf),
      ...servicesOf(process),
      ...disruptionBudgetOf(process),
      ...autoscalerOf(process),
      networkPolicyOf(process),
    ]),
  ];
}

function kustomization(resources: readonly string[], more: object = {}) {
  return { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources, ...more };
}

/** The migrations, which are applied first, and the parts that need KEDA or a trace collector are separate files. */
export function baseFiles(release: string): ReadonlyMap<string, string> {
  const names = services.map((service) => `${service}.yaml`);
  const jobs = servicesWithDatabase.map((service) => `${migrationOf(service)}.yaml`);
  const literals = Object.entries(BASE_SETTINGS).map(([name, value]) => `${name}=${value}`);
  const policies = [...sharedPolicies, ...servicesWithDatabase.map((service) => migrationPolicy(migrationOf(service)))];
  const files: [string, readonly object[]][] = [
    ...services.map((service): [string, readonly object[]] => [`${service}.yaml`, objectsOf(service, release)]),
    ['network.yaml', policies],
    ['kustomization.yaml', [kustomization(['network.yaml', ...names], { configMapGenerator: [{ name: SETTINGS, literals }] })]],
    ...servicesWithDatabase.map((service): [string, readonly object[]] => [
      `migrations/${migrationOf(service)}.yaml`,
      [migrationJobOf(service, release)],
    ]),
    ['migrations/kustomization.yaml', [kustomization(jobs)]],
    ['keda/workers.yaml', deployed.flatMap(scaledObjectOf)],
    ['keda/kustomization.yaml', [kustomization(['workers.yaml'])]],
    ['traces/network.yaml', [tracesPolicy]],
    ['traces/kustomization.yaml', [kustomization(['network.yaml'])]],
  ];
  return new Map(files.map(([path, objects]) => [path, commentOf() + yamlOf(objects)]));
}
