import { deployed, processAt, servicesWithDatabase } from '../deployed';
import { PORTS } from '../places';
import { commentOf, yamlOf } from '../yaml-text';
import { migrationJobOf, migrationOf } from './migration';
import { migrationPolicy, networkPolicyOf, sharedPolicies, tracesPolicy } from './network';
import { type KubernetesObject, serviceLabels } from './object';
import { SETTINGS } from './pod';
import { autoscalerOf, scaledObjectOf } from './scaling';
import { disruptionBudgetOf, servicesOf, workloadOf } from './workload';

/** What the operator's overlay must replace or may keep; every other setting has a default of its own. */
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

/**
 * The files of `deploy/kubernetes/base` by their path below it: one for each service, what all share, and apart from them the migrations,
 * which are applied first, what takes KEDA, and what takes a collector of traces.
 * @param release the tag of every image
 */
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
