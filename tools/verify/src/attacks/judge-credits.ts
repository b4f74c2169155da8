import { auditLedger, receiptsOnceThere, type Report } from '../harness';
import type { Scene } from './scene';

const POSTED_MS_MAX = 15_000;

/** After everything, with the gateways stopped: others were charged for each good answer once, and the ledger keeps its rules. */
export async function judgeCredits({ edge, counted }: Scene, report: Report): Promise<void> {
  await edge.stopGateways();
  let charged = 0;
  let answered = 0;
  for (const [tenantId, { good, lost }] of counted) {
    const receipts = await receiptsOnceThere(edge.pool, tenantId, good, POSTED_MS_MAX);
    charged += receipts;
    answered += good;
    report.check(
      good <= receipts && receipts <= good + lost,
      `Tenant ${tenantId} got ${good} good answers, ${lost} calls were lost, and ${receipts} have receipts.`,
    );
  }
  const { entries, faults } = await auditLedger(edge.pool);
  report.fail(...faults);
  report.figure(
    'credits: good answers of others, receipts; entries of the ledger, faults',
    `${answered}, ${charged}; ${entries}, ${faults.length}`,
  );
}
