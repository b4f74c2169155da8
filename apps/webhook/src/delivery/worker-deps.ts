import type { Sender } from '@market-state/guarded-http';
import type { Logger } from '@market-state/logging';
import type { SealingKey } from '@market-state/webhook-signing';
import type { Pool } from 'pg';
import type { WakeUpNotifier } from './wake-ups';
import type { Credits } from './credits';
import type { DeliveryMetrics } from './delivery-metrics';
import type { Places, Turns } from './places';

/** How soon things are looked at again, milliseconds. */
export interface WorkerPace {
  /** Between two searches for what came due. */
  readonly searchMs: number;
  /** A wake-up that was not answered for so long is lost. */
  readonly silentMs: number;
  /** A claim is taken over when it is so old. */
  readonly claimMs: number;
  /** Between two rounds of the upkeep. */
  readonly upkeepMs: number;
  /** Waits between attempts are divided by this. */
  readonly hurry: number;
}

export const WORKER_PACE: WorkerPace = { searchMs: 1_000, silentMs: 30_000, claimMs: 60_000, upkeepMs: 15_000, hurry: 1 };

/** Everything a worker is made of. */
export interface WorkerDeps {
  /** Of this process, unlike any other's. */
  readonly worker: string;
  readonly pool: Pool;
  readonly notifier: WakeUpNotifier;
  readonly send: Sender['send'];
  readonly credits: Credits;
  readonly places: Places;
  readonly turns: Turns;
  readonly sealingKeys: readonly SealingKey[];
  readonly metrics: DeliveryMetrics;
  readonly clock: () => number;
  readonly random: () => number;
  readonly pace: WorkerPace;
  readonly logger: Logger;
}
