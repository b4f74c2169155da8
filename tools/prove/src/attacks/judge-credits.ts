import { setTimeout as delay } from 'node:timers/promises';
import { ledgerAudit } from '@market-state/account';
import type { ProofResult } from '../proof';
import { receiptsOf } from './receipts';
import type { Scene } from './scene';

const POSTED_MS_MAX = 15_000;

/** After everything, with the gateways stopped: others were charged for each good answer once, and the ledger keeps its rules. */
export async function judgeCredits({ edge, counted }: Scene): Promise<ProofResult> {
  await edge.stopGateways();
  const failures: string[] = [];
  let charged = 0;
  let answered = 0;
  for (const [tenantId, { good, lost }] of counted) {
    const receipts = await receiptsOnceThere(edge.pool, tenantId, good);
    charged += receipts;
    answered += good;
    if (receipts < good || receipts > good + lost)
      failures.push(`Tenant ${tenantId} got ${good} good answers, ${lost} calls were lost, and ${receipts} have receipts.`);
  }
  const { faults, entries } = await ledgerAudit(edge.pool, Date.now());
  return {
    failures: [...failures, ...faults.map(({ tenantId, message }) => `${tenantId}: ${message}`)],
    timing: [],
    figures: [
      ['credits: good answers of others, receipts; entries of the ledger, faults', `${answered}, ${charged}; ${entries}, ${faults.length}`],
    ],
  };
}

async function receiptsOnceThere(pool: Scene['edge']['pool'], tenantId: string, wanted: number): Promise<number> {
  for (const untilMs = performance.now() + POSTED_MS_MAX; ; await delay(200)) {
    const total = await receiptsOf(pool, tenantId);
    if (total >= wanted || performance.now() > untilMs) return total;
  }
}
