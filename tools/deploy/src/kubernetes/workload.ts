import type { Deployed } from '../deployed';
import { PORTS } from '../places';
import { type KubernetesObject, labelsOf, serviceLabels } from './object';
import { podOf } from './pod';

/** The Deployment or StatefulSet of a process. Where something else sets the number of replicas it names none. */
export function workloadOf(process: Deployed, release: string, addressOf: (variable: string) => string): KubernetesObject {
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

/**
 * The Services of a process: that of its RPCs names every pod, so that callers share their calls among them; that of the public port has
 * one address. None for a process that others do not call.
 */
export function servicesOf({ name, service, workload, definition }: Deployed): KubernetesObject[] {
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
            // Where there is one of a shard it answers before it is ready, and says so.
            ...(workload.kind === 'StatefulSet' ? { publishNotReadyAddresses: true } : {}),
            ports: [{ name: 'rpc', port: PORTS.rpc, targetPort: 'rpc' }],
          }),
        ]
      : []),
    ...(definition.isPublic === true ? [object(name, { ports: [{ name: 'http', port: 80, targetPort: 'http' }] })] : []),
  ];
}

/** Keeps a drained machine from taking away more than one pod of a process at a time. */
export function disruptionBudgetOf({ name, service, workload }: Deployed): KubernetesObject[] {
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
