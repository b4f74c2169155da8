import type { Sender } from '@market-state/guarded-http';
import type { Logger } from '@market-state/logging';
import type { MailTransport } from '@market-state/mail';
import type { SealingKey } from '@market-state/webhook-signing';
import type { Pool } from 'pg';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { WakeUpNotifier } from './wake-ups';
import type { Credits } from './credits';
import type { ProcessSlots, TenantQueue } from './process-slots';
import type { LongestDue } from '../store/maintenance';
import type { AttemptResult } from './attempt-result';

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

const ATTEMPT_SECONDS = [0.01, 0.03, 0.1, 0.25, 0.5, 1, 2, 5, 15];
const AGE_SECONDS = [0.05, 0.2, 0.5, 1, 2, 5, 15, 60, 300];

interface DeliveryMetrics {
  attempted(result: AttemptResult): void;
  waited(seconds: number): void;
  breakersOpen(total: number): void;
  longestDue(seconds: LongestDue): void;
  endpoints(byStatus: ReadonlyMap<string, number>): void;
}

export function createDeliveryMetrics(registry: Registry, slots: ProcessSlots, sender: Pick<Sender, 'idle'>): DeliveryMetrics {
  const registers = [registry];
  const attempts = new Counter({ name: 'webhook_attempts_total', help: 'Delivery attempts.', labelNames: ['class'], registers });
  const seconds = new Histogram({ name: 'webhook_attempt_seconds', help: 'Duration of attempts.', buckets: ATTEMPT_SECONDS, registers });
  const age = new Histogram({
    name: 'webhook_due_age_seconds',
    help: 'Time from when a delivery became due to its attempt.',
    buckets: AGE_SECONDS,
    registers,
  });
  const refusals = new Counter({
    name: 'webhook_guard_refusals_total',
    help: 'Attempts refused by the target guard.',
    labelNames: ['reason'],
    registers,
  });
  const oldest = new Gauge({
    name: 'webhook_oldest_due_seconds',
    help: 'Age of the longest-due delivery: at healthy endpoints, and at slow ones or those with an open breaker.',
    labelNames: ['lane'],
    registers,
  });
  const open = new Gauge({ name: 'webhook_breakers_open', help: 'Endpoints with an open breaker.', registers });
  const endpoints = new Gauge({ name: 'webhook_endpoints', help: 'Endpoints by status.', labelNames: ['status'], registers });
  new Gauge({
    name: 'webhook_active',
    help: 'Attempts in their first 250 ms, and longer ones without a free slot to park in.',
    registers,
    collect() {
      this.set(slots.active());
    },
  });
  new Gauge({
    name: 'webhook_parked',
    help: 'Attempts that take longer and are parked.',
    registers,
    collect() {
      this.set(slots.parked());
    },
  });
  new Gauge({
    name: 'webhook_idle_connections',
    help: 'Idle connections to receivers, kept for another delivery.',
    registers,
    collect() {
      this.set(sender.idle());
    },
  });
  return {
    attempted(result) {
      attempts.inc({ class: result.class });
      seconds.observe(result.durationMs / 1_000);
      if (result.class === 'guard') refusals.inc({ reason: result.reason ?? '' });
    },
    waited: (time) => age.observe(time),
    breakersOpen: (total) => open.set(total),
    longestDue({ healthyS, troubledS }) {
      oldest.set({ lane: 'healthy' }, healthyS);
      oldest.set({ lane: 'troubled' }, troubledS);
    },
    endpoints(byStatus) {
      for (const status of ['test_pending', 'live', 'disabled']) endpoints.set({ status }, byStatus.get(status) ?? 0);
    },
  };
}
