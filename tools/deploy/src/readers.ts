import { readAccountConfig } from '@market-state/account';
import type { Environment } from '@market-state/config';
import { readFeedConfig, readRecorderConfig, readRpcConfig } from '@market-state/data-plane';
import { readExportConfig, readWorkerConfig as readExportWorkerConfig } from '@market-state/export';
import { readGatewayConfig } from '@market-state/gateway';
import { readLabelingConfig } from '@market-state/labeling';
import { readMcpConfig } from '@market-state/mcp';
import { readSimulatedVenueConfig } from '@market-state/simulated-venue';
import { readEvaluatorConfig, readWebhookConfig, readWorkerConfig as readWebhookWorkerConfig } from '@market-state/webhook';
import type { ProcessName } from './process-name';

/** What reads the settings of each process, as its `main` calls it. */
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
