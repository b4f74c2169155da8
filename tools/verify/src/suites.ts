import { accountSuite } from './accounts/account-suite';
import { alertSuite } from './alerts/alert-suite';
import { archiveSuite } from './archive/archive-suite';
import { attackSuite } from './attacks/attack-suite';
import { auditSuite } from './audit/audit-suite';
import { bareSuite } from './bare/bare-suite';
import { binanceSuite } from './binance/binance-suite';
import { cliSuite } from './cli/cli-suite';
import { clusterSuite } from './cluster/cluster-suite';
import { composeSuite } from './compose/compose-suite';
import { creditSuite } from './credits/credit-suite';
import { creditModelSuite } from './credits/model-suite';
import { demoSuite } from './demo/demo-suite';
import { docsSuite } from './docs/docs-suite';
import { limitSuite, meteringSuite, repeatSuite, revocationSuite } from './edge/suites';
import { exportSuite } from './exports/export-suite';
import { fairnessSuite } from './fairness/fairness-suite';
import type { Suite } from './harness';
import { endToEndSuite, fileSuite, propertySuite, recordingSuite, servicePropertySuite } from './files/test-file-suites';
import { hyperliquidSuite } from './hyperliquid/hyperliquid-suite';
import { imageSuite } from './image/image-suite';
import { isolationSuite } from './isolation/isolation-suite';
import { keySuite } from './keys/key-suite';
import { killSuite } from './kills/kill-suite';
import { labelerSuite } from './labeler/labeler-suite';
import { mcpSuite } from './mcp/mcp-suite';
import { monitoringSuite } from './monitoring/monitoring-suite';
import { mtlsSuite } from './mtls/mtls-suite';
import { portalSuite } from './portal/portal-suite';
import { pythonSuite } from './python/python-suite';
import { recomputeSuite } from './recompute/recompute-suite';
import { referenceSuite } from './reference/reference-suite';
import { restoreSuite } from './restore/restore-suite';
import { rollingSuite } from './rolling/rolling-suite';
import { sdkSuite } from './sdk/sdk-suite';
import { standbySuite } from './standby/standby-suite';
import { traceSuite } from './traces/trace-suite';
import { webhookSuite } from './webhooks/webhook-suite';

/** Every suite, in the order in which all of them run. */
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
  webhookSuite,
];
