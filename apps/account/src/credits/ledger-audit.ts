import { type Closable, delay, runUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { Pool } from 'pg';
import { Gauge, type Registry } from 'prom-client';
import { auditLedger, type LedgerAudit } from '../store/ledger-audit';

interface LedgerWatchDeps {
  /** Needs a statement timeout long enough to read the whole ledger. */
  readonly pool: Pool;
  readonly registry: Registry;
  readonly clock: () => number;
  readonly logger: Logger;
}

interface LedgerWatchPace {
  readonly firstMs: number;
  readonly everyMs: number;
}

/** The first audit follows soon after the start, as a check of a new release. */
const PACE: LedgerWatchPace = { firstMs: 30_000, everyMs: 3_600_000 };

/** Audits the ledger every hour and logs each fault. Its metrics are absent until the first audit. */
export function watchLedger({ pool, registry, clock, logger }: LedgerWatchDeps, { firstMs, everyMs } = PACE): Closable {
  const registers = [registry];
  const faultTotal = new Gauge({ name: 'ledger_audit_faults', help: 'Faults found by the last audit of the ledger.', registers });
  const madeAt = new Gauge({ name: 'ledger_audit_timestamp_seconds', help: 'Time of the last ledger audit, in Unix seconds.', registers });
  for (const gauge of [faultTotal, madeAt]) gauge.remove();

  async function audit(): Promise<void> {
    const nowMs = clock();
    const { faults } = await ledgerAudit(pool, nowMs);
    for (const { tenantId, message } of faults) logger.error({ tenant_id: tenantId, fault: message }, 'the ledger is inconsistent');
    faultTotal.set(faults.length);
    madeAt.set(nowMs / 1_000);
  }

  return runUntilClosed(async (signal) => {
    const wait = (ms: number): Promise<void> => delay(ms, signal).catch(() => undefined);
    for (await wait(firstMs); !signal.aborted; await wait(everyMs))
      await audit().catch((error: unknown) => logger.warn({ err: error }, 'the ledger audit failed'));
  });
}

/** A lease's hold may outlast its expiry by one sweep and a long transaction. */
const SWEEP_GRACE_MS = 30_000;

/**
 * Recomputes every balance from the entries and reports differences, overdue holds, and receipts or usage that do not
 * match postings.
 */
export function ledgerAudit(pool: Pool, nowMs: number, tenantId: string | null = null): Promise<LedgerAudit> {
  return auditLedger(pool, tenantId, nowMs - SWEEP_GRACE_MS);
}
