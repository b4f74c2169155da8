import { parseArgs } from 'node:util';
import { accountSuite } from './accounts/account-suite';
import { alertSuite } from './alerts/alert-suite';
import { archiveSuite } from './archive/archive-suite';
import { attackSuite } from './attacks/attack-suite';
import { auditSuite } from './audit/audit-suite';
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
import { type Suite, runSuite } from './harness';
import { hyperliquidSuite } from './hyperliquid/hyperliquid-suite';
import { imageSuite } from './image/image-suite';
import { keySuite } from './keys/key-suite';
import { killSuite } from './kills/kill-suite';
import { labelerSuite } from './labeler/labeler-suite';
import { mcpSuite } from './mcp/mcp-suite';
import { monitoringSuite } from './monitoring/monitoring-suite';
import { mtlsSuite } from './mtls/mtls-suite';
import { portalSuite } from './portal/portal-suite';
import { propertySuite } from './properties/property-suite';
import { pythonSuite } from './python/python-suite';
import { recomputeSuite } from './recompute/recompute-suite';
import { referenceSuite } from './reference/reference-suite';
import { restoreSuite } from './restore/restore-suite';
import { rollingSuite } from './rolling/rolling-suite';
import { sdkSuite } from './sdk/sdk-suite';
import { standbySuite } from './standby/standby-suite';
import { traceSuite } from './traces/trace-suite';
import { webhookSuite } from './webhooks/webhook-suite';

const suites: readonly Suite[] = [
  accountSuite,
  alertSuite,
  archiveSuite,
  attackSuite,
  auditSuite,
  binanceSuite,
  cliSuite,
  clusterSuite,
  composeSuite,
  creditModelSuite,
  creditSuite,
  demoSuite,
  docsSuite,
  exportSuite,
  fairnessSuite,
  hyperliquidSuite,
  imageSuite,
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
  referenceSuite,
  repeatSuite,
  restoreSuite,
  revocationSuite,
  rollingSuite,
  sdkSuite,
  standbySuite,
  traceSuite,
  webhookSuite,
];

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: 'string' },
      budget: { type: 'string' },
      seeds: { type: 'string' },
      kills: { type: 'string' },
      rules: { type: 'string' },
      symbols: { type: 'string' },
      messages: { type: 'string' },
      minutes: { type: 'string' },
      only: { type: 'string' },
      small: { type: 'boolean' },
      from: { type: 'string' },
    },
  });
  const suite = suites.find(({ id }) => id === positionals[0]);
  if (suite === undefined) {
    say(
      'Usage: npm run verify -- <id> [--seed N] [--budget N | --seeds N | --kills N] [--messages N] [--rules N] [--symbols N] [--minutes N]' +
        ' [--only PART] [--small] [--from COMMIT]',
    );
    for (const { id, claim, budget } of suites) say(`  ${id.padEnd(12)} ${claim} (budget: ${budget.default} ${budget.counts})`);
    process.exitCode = positionals.length === 0 ? 0 : 2;
    return;
  }
  const seed = wholeNumber('seed', values.seed) ?? Date.now() % 1_000_000;
  const budget =
    wholeNumber('seeds', values.seeds) ??
    wholeNumber('kills', values.kills) ??
    wholeNumber('budget', values.budget) ??
    suite.budget.default;
  const messages = wholeNumber('messages', values.messages);
  const [rules, symbols] = [wholeNumber('rules', values.rules), wholeNumber('symbols', values.symbols)];
  say(`${suite.id}: ${suite.claim}`);
  say(`seed ${seed}, budget ${budget} ${suite.budget.counts}`);
  const { figures, ...result } = await runSuite(suite, {
    seed,
    budget,
    messages,
    rules,
    symbols,
    minutes: wholeNumber('minutes', values.minutes),
    only: values.only,
    isSmall: values.small,
    from: values.from,
    say,
  });
  const failures = [...result.failures, ...result.timing];
  for (const [name, figure] of figures) say(`  ${name}: ${figure}`);
  for (const failure of failures) say(`  FAILED: ${failure}`);
  say(failures.length === 0 ? `${suite.id}: proved (seed ${seed})` : `${suite.id}: ${failures.length} failed (seed ${seed})`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${option} must be a positive whole number; it is "${text}".`);
  return value;
}

main().catch((error: Error) => {
  say(error.message);
  process.exitCode = 1;
});
