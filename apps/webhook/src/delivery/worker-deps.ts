import type { Sender } from '@market-state/guarded-http';
import type { Logger } from '@market-state/logging';
import type { MailTransport } from '@market-state/mail';
import type { SealingKey } from '@market-state/webhook-signing';
import type { Pool } from 'pg';
import type { WakeUpNotifier } from './wake-ups';
import type { Credits } from './credits';
import type { DeliveryMetrics } from './delivery-metrics';
import type { ProcessSlots, TenantQueue } from './process-slots';

/** Intervals in milliseconds. */
export interface WorkerPace {
  readonly searchMs: number;
  /** Age at which an unanswered wake-up counts as lost. */
  readonly silentMs: number;
  /** Age at which a claim is taken over. */
  readonly claimMs: number;
  readonly maintenanceMs: number;
  /** Divisor of the waits between attempts. */
  readonly hurry: number;
}

export const WORKER_PACE: WorkerPace = { searchMs: 1_000, silentMs: 30_000, claimMs: 60_000, maintenanceMs: 15_000, hurry: 1 };

export interface WorkerDeps {
  readonly worker: string;
  readonly pool: Pool;
  readonly notifier: WakeUpNotifier;
  readonly send: Sender['send'];
  /** Undefined if the installation sends no mail. */
  readonly mail: MailTransport | undefined;
  /** Base of links to the portal; undefined if unknown. */
  readonly publicBaseUrl: string | undefined;
  readonly credits: Credits;
  readonly slots: ProcessSlots;
  readonly waitingTenants: TenantQueue;
  readonly sealingKeys: readonly SealingKey[];
  readonly metrics: DeliveryMetrics;
  readonly clock: () => number;
  readonly random: () => number;
  readonly pace: WorkerPace;
  readonly logger: Logger;
}
