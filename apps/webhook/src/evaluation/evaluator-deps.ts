import type { account, exports, labeling } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import type { Pool } from 'pg';
import type { WakeUpNotifier } from '../delivery/wake-ups';
import type { InputDays } from '../store/inputs';
import type { EvaluatorMetrics } from './evaluator-metrics';

export interface EvaluatorDeps {
  readonly pool: Pool;
  readonly inputDays: InputDays;
  readonly notifier: WakeUpNotifier;
  readonly packets: GrpcClient<labeling.LabelingServiceService>;
  readonly accountOutbox: GrpcClient<account.OutboxServiceService>;
  readonly exportOutbox: GrpcClient<exports.OutboxServiceService>;
  readonly metrics: EvaluatorMetrics;
  readonly clock: () => number;
  readonly logger: Logger;
}
