import { type Queryable, run } from '@market-state/postgres';
import type { Controls } from '../credits/book';
import { tables } from './tables';

export async function writeSpendControls(on: Queryable, tenantId: string, controls: Controls): Promise<void> {
  await run(
    on,
    tables
      .updateTable('spend_control')
      .set({
        monthly_credit_cap: toText(controls.monthlyCreditCap),
        daily_credit_cap: toText(controls.dailyCreditCap),
        per_call_credit_ceiling: toText(controls.perCallCreditCeiling),
        export_credit_cap: toText(controls.exportCreditCap),
      })
      .where('tenant_id', '=', tenantId),
  );
}

function toText(credits: number | null): string | null {
  return credits === null ? null : String(credits);
}
