import { parseArgs } from 'node:util';
import { accountProof } from './accounts/account-proof';
import { alertProof } from './alerts/alert-proof';
import { archiveProof } from './archive/archive-proof';
import { attackProof } from './attacks/attack-proof';
import { auditProof } from './audit/audit-proof';
import { binanceProof } from './binance/binance-proof';
import { cliProof } from './cli/cli-proof';
import { clusterProof } from './cluster/cluster-proof';
import { composeProof } from './compose/compose-proof';
import { creditProof } from './credits/credit-proof';
import { creditModelProof } from './credits/model-proof';
import { demoProof } from './demo/demo-proof';
import { docsProof } from './docs/docs-proof';
import { limitProof, meteringProof, repeatProof, revocationProof } from './edge/proofs';
import { exportProof } from './exports/export-proof';
import { fairnessProof } from './fairness/fairness-proof';
import { type Proof, runProof } from './harness';
import { hyperliquidProof } from './hyperliquid/hyperliquid-proof';
import { imageProof } from './image/image-proof';
import { keyProof } from './keys/key-proof';
import { killProof } from './kills/kill-proof';
import { labelerProof } from './labeler/labeler-proof';
import { mcpProof } from './mcp/mcp-proof';
import { monitoringProof } from './monitoring/monitoring-proof';
import { mtlsProof } from './mtls/mtls-proof';
import { portalProof } from './portal/portal-proof';
import { propertyProof } from './properties/property-proof';
import { pythonProof } from './python/python-proof';
import { recomputeProof } from './recompute/recompute-proof';
import { referenceProof } from './reference/reference-proof';
import { restoreProof } from './restore/restore-proof';
import { rollingProof } from './rolling/rolling-proof';
import { sdkProof } from './sdk/sdk-proof';
import { standbyProof } from './standby/standby-proof';
import { traceProof } from './traces/trace-proof';
import { webhookProof } from './webhooks/webhook-proof';

const proofs: readonly Proof[] = [
  accountProof,
  alertProof,
  archiveProof,
  attackProof,
  auditProof,
  binanceProof,
  cliProof,
  clusterProof,
  composeProof,
  creditModelProof,
  creditProof,
  demoProof,
  docsProof,
  exportProof,
  fairnessProof,
  hyperliquidProof,
  imageProof,
  keyProof,
  killProof,
  labelerProof,
  limitProof,
  mcpProof,
  meteringProof,
  monitoringProof,
  mtlsProof,
  portalProof,
  propertyProof,
  pythonProof,
  recomputeProof,
  referenceProof,
  repeatProof,
  restoreProof,
  revocationProof,
  rollingProof,
  sdkProof,
  standbyProof,
  traceProof,
  webhookProof,
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
  const proof = proofs.find(({ id }) => id === positionals[0]);
  if (proof === undefined) {
    say(
      'Usage: npm run prove -- <id> [--seed N] [--budget N | --seeds N | --kills N] [--messages N] [--rules N] [--symbols N] [--minutes N]' +
        ' [--only PART] [--small] [--from COMMIT]',
    );
    for (const { id, claim, budget } of proofs) say(`  ${id.padEnd(12)} ${claim} (budget: ${budget.default} ${budget.counts})`);
    process.exitCode = positionals.length === 0 ? 0 : 2;
    return;
  }
  const seed = wholeNumber('seed', values.seed) ?? Date.now() % 1_000_000;
  const budget =
    wholeNumber('seeds', values.seeds) ??
    wholeNumber('kills', values.kills) ??
    wholeNumber('budget', values.budget) ??
    proof.budget.default;
  const messages = wholeNumber('messages', values.messages);
  const [rules, symbols] = [wholeNumber('rules', values.rules), wholeNumber('symbols', values.symbols)];
  say(`${proof.id}: ${proof.claim}`);
  say(`seed ${seed}, budget ${budget} ${proof.budget.counts}`);
  const { figures, ...result } = await runProof(proof, {
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
  say(failures.length === 0 ? `${proof.id}: proved (seed ${seed})` : `${proof.id}: ${failures.length} failed (seed ${seed})`);
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
