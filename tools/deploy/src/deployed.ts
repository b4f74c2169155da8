import { readAccountConfig } from '@market-state/account';
import { variablesReadBy, type Environment } from '@market-state/config';
import { readFeedConfig, readRecorderConfig, readRpcConfig } from '@market-state/data-plane';
import { readExportConfig, readWorkerConfig as readExportWorkerConfig } from '@market-state/export';
import { readGatewayConfig } from '@market-state/gateway';
import { readLabelingConfig } from '@market-state/labeling';
import { definitions, type ProcessDefinition, services } from '@market-state/launcher';
import { readMcpConfig } from '@market-state/mcp';
import { readSimulatedVenueConfig } from '@market-state/simulated-venue';
import { readEvaluatorConfig, readWebhookConfig, readWorkerConfig as readWebhookWorkerConfig } from '@market-state/webhook';
import { type Variables, variablesOf } from './variables';
import { type ProcessName, type Workload, workloads } from './workloads';

export const readers: Readonly<Record<ProcessName, (env: Environment) => unknown>> = {
  'simulated-venue': readSimulatedVenueConfig,
  account: readAccountConfig,
  'data-plane-feed': readFeedConfig,
  'data-plane-recorder': readRecorderConfig,
  'data-plane': readRpcConfig,
  labeling: readLabelingConfig,
  export: readExportConfig,
  'export-worker': readExportWorkerConfig,
  webhook: readWebhookConfig,
  'webhook-evaluator': readEvaluatorConfig,
  'webhook-worker': readWebhookWorkerConfig,
  mcp: readMcpConfig,
  gateway: readGatewayConfig,
};

export interface Deployed {
  readonly name: ProcessName;
  readonly service: string;
  readonly definition: ProcessDefinition;
  readonly workload: Workload;
  readonly variables: Variables;
}

const addressVariables = definitions.flatMap(({ addressVariable }) => addressVariable ?? []);

function isDeployed(name: string): name is keyof typeof workloads {
  return name in workloads;
}

function serviceOf(name: string): string {
  const found = Object.entries(services).find(([, { processes }]) => name in processes);
  if (found === undefined) throw new Error(`No service has a process ${name}.`);
  return found[0];
}

export const deployed: readonly Deployed[] = definitions.flatMap((definition): Deployed[] => {
  const { name } = definition;
  if (!isDeployed(name)) return [];
  const workload = workloads[name];
  const read = variablesReadBy(readers[name]);
  const variables = variablesOf(definition, read, workload.memoryMib.allowed, addressVariables);
  return [{ name, service: serviceOf(name), definition, workload, variables }];
});

export const servicesWithDatabase: readonly string[] = [
  ...new Set(deployed.filter(({ definition }) => definition.database !== undefined).map(({ service }) => service)),
];

export function processAt(variable: string): ProcessName {
  const found = deployed.find(({ definition }) => definition.addressVariable === variable);
  if (found === undefined) throw new Error(`No deployed process has the address variable ${variable}.`);
  return found.name;
}

export function secretsOf(service: string) {
  const all = deployed.filter((process) => process.service === service).flatMap(({ variables }) => variables.secrets);
  return [...new Map(all.map((secret) => [secret.name, secret])).values()];
}
