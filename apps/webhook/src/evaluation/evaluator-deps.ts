import type { account, exports, labeling } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import type { Pool } from 'pg';
import type { Bell } from '../delivery/bell';
import type { InputDays } from '../store/inputs';
import type { EvaluatorMetrics } from './evaluator-metrics';

/** What the evaluator uses. */
export interface EvaluatorDeps {
  readonly pool: Pool;
  readonly inputDays: InputDays;
  readonly bell: Bell;
  readonly packets: GrpcClient<labeling.LabelingServiceService>;
  readonly accountOutbox: GrpcClient<account.OutboxServiceService>;
  readonly exportOutbox: GrpcClient<exports.OutboxServiceService>;
  readonly metrics: EvaluatorMetrics;
  readonly clock: () => number;
  readonly logger: Logger;
}
