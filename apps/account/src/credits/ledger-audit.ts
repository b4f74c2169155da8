import { type Closable, delay, runUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { Pool } from 'pg';
import { Gauge, type Registry } from 'prom-client';
import { auditLedger, type LedgerAudit } from '../store/ledger-audit';

interface LedgerWatchDeps {
  /** Its statements may take as long as all of the ledger takes to be read. */
  readonly pool: Pool;
  readonly registry: Registry;
  readonly clock: () => number;
  readonly logger: Logger;
}

interface LedgerWatchPace {
  /** From the start to the first audit, milliseconds. */
  readonly firstMs: number;
  /** From one audit to the next, milliseconds. */
  readonly everyMs: number;
}

/** The first comes when the start is over, and soon enough for whoever has just released a version. */
const PACE: LedgerWatchPace = { firstMs: 30_000, everyMs: 3_600_000 };

/**
 * Audits the whole ledger each hour: `ledger_audit_faults` is what the last audit found, `ledger_audit_timestamp_seconds` when it was made.
 * Both are absent before the first. A fault is logged with its tenant.
 */
export function watchLedger({ pool, registry, clock, logger }: LedgerWatchDeps, { firstMs, everyMs } = PACE): Closable {
  const registers = [registry];
  const faultTotal = new Gauge({ name: 'ledger_audit_faults', help: 'What the last audit of the ledger found wrong.', registers });
  const madeAt = new Gauge({ name: 'ledger_audit_timestamp_seconds', help: 'When the ledger was last audited, Unix time.', registers });
  for (const gauge of [faultTotal, madeAt]) gauge.remove();

  async function audit(): Promise<void> {
    const nowMs = clock();
    const { faults } = await ledgerAudit(pool, nowMs);
    for (const { tenantId, message } of faults) logger.error({ tenant_id: tenantId, fault: message }, 'the ledger is not as it must be');
    faultTotal.set(faults.length);
    madeAt.set(nowMs / 1_000);
  }

  return runUntilClosed(async (signal) => {
    const wait = (ms: number): Promise<void> => delay(ms, signal).catch(() => undefined);
    for (await wait(firstMs); !signal.aborted; await wait(everyMs))
      await audit().catch((error: unknown) => logger.warn({ err: error }, 'the ledger could not be audited'));
  });
}

/** A lease's hold may outlive its time by a sweep and a long transaction. */
const SWEEP_GRACE_MS = 30_000;

/**
 * Computes every balance anew from the entries, and names what is kept otherwise; also holds past their time, and receipts and usage that
 * are not what was posted. One tenant's, or everybody's.
 */
export function ledgerAudit(pool: Pool, nowMs: number, tenantId: string | null = null): Promise<LedgerAudit> {
  return auditLedger(pool, tenantId, nowMs - SWEEP_GRACE_MS);
}
