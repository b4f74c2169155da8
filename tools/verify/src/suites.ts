import { accountSuite } from './account-suite';
import { alertSuite } from './alerts/alert-suite';
import { archiveSuite } from './archive-suite';
import { attackSuite } from './attacks/attack-suite';
import { auditSuite } from './audit-suite';
import { bareSuite } from './bare-suite';
import { binanceSuite } from './binance/binance-suite';
import { cliSuite } from './cli-suite';
import { clusterSuite } from './cluster/cluster-suite';
import { composeSuite } from './compose/compose-suite';
import { creditSuite } from './credits/credit-suite';
import { creditModelSuite } from './credits/model-suite';
import { demoSuite } from './demo-suite';
import { docsSuite } from './docs-suite';
import { limitSuite, meteringSuite, repeatSuite, revocationSuite } from './edge/suites';
import { exportSuite } from './exports/export-suite';
import { fairnessSuite } from './fairness-suite';
import type { Suite } from './harness';
import { endToEndSuite, fileSuite, propertySuite, recordingSuite, servicePropertySuite } from './test-file-suites';
import { hyperliquidSuite } from './hyperliquid/hyperliquid-suite';
import { imageSuite } from './image/image-suite';
import { isolationSuite } from './isolation/isolation-suite';
import { keySuite } from './key-suite';
import { killSuite } from './kill-suite';
import { labelerSuite } from './labeler-suite';
import { mcpSuite } from './mcp-suite';
import { monitoringSuite } from './monitoring/monitoring-suite';
import { mtlsSuite } from './mtls-suite';
import { portalSuite } from './portal/portal-suite';
import { pythonSuite } from './python-suite';
import { recomputeSuite } from './recompute-suite';
import { referenceSuite } from './reference-suite';
import { restoreSuite } from './restore-suite';
import { rollingSuite } from './rolling/rolling-suite';
import { sdkSuite } from './sdk/sdk-suite';
import { standbySuite } from './standby-suite';
import { traceSuite } from './trace-suite';
import { venueSuite } from './venues/venue-suite';
import { webhookSuite } from './webhooks/webhook-suite';

export const suites: readonly Suite[] = [
  accountSuite,
  alertSuite,
  archiveSuite,
  attackSuite,
  auditSuite,
  bareSuite,
  binanceSuite,
  cliSuite,
  clusterSuite,
  composeSuite,
  creditModelSuite,
  creditSuite,
  demoSuite,
  docsSuite,
  endToEndSuite,
  exportSuite,
  fairnessSuite,
  fileSuite,
  hyperliquidSuite,
  imageSuite,
  isolationSuite,
  keySuite,
  killSuite,
  labelerSuite,
  limitSuite,
  mcpSuite,
  meteringSuite,
  monitoringSuite,
  mtlsSuite,
  portalSuite,
  propertySuite,
  pythonSuite,
  recomputeSuite,
  recordingSuite,
  referenceSuite,
  repeatSuite,
  restoreSuite,
  revocationSuite,
  rollingSuite,
  sdkSuite,
  servicePropertySuite,
  standbySuite,
  traceSuite,
  venueSuite,
  webhookSuite,
];
