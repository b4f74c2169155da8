import { type Queryable, run } from '@market-state/postgres';
import type { Controls, Ceiling, CeilingTerms } from '../credits/credit-ledger';
import { tables, ms } from './tables';

/** SQL for a `credit_ceiling` row as JSON with the fields of `Ceiling`. */
export function ceilingJson(alias: string): string {
  return `json_build_object('id', ${alias}."id", 'credits', ${alias}."credits", 'windowSeconds', ${alias}."window_seconds", 'windowFromMs',
    ${ms(`${alias}."window_from"`)}, 'spent', ${alias}."spent")`;
}

export async function insertCeiling(on: Queryable, tenantId: string, ceiling: Ceiling): Promise<void> {
  const { id, credits, windowSeconds, windowFromMs, spent } = ceiling;
  await run(
    on,
    tables.insertInto('credit_ceiling').values({
      id,
      tenant_id: tenantId,
      credits: String(credits),
      window_seconds: windowSeconds,
      window_from: new Date(windowFromMs),
      spent: String(spent),
    }),
  );
}

export async function writeCeilingCredits(on: Queryable, id: string, credits: CeilingTerms['credits']): Promise<void> {
  await run(
    on,
    tables
      .updateTable('credit_ceiling')
      .set({ credits: String(credits) })
      .where('id', '=', id),
  );
}

export async function replaceCeiling(on: Queryable, id: string, successorId: string | null): Promise<void> {
  await run(on, tables.updateTable('api_key').set({ ceiling_id: successorId }).where('ceiling_id', '=', id));
  await run(on, tables.deleteFrom('credit_ceiling').where('id', '=', id));
}

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
