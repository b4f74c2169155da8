import type { labeling, marketData } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import type { Pool } from 'pg';
import type { Bell } from '../lanes/bell';
import type { InputDays } from '../store/input-days';

/** What the RPCs about watchlists use. */
export interface WatchlistDeps {
  readonly pool: Pool;
  readonly inputDays: InputDays;
  readonly bell: Bell;
  readonly marketData: GrpcClient<marketData.MarketDataServiceService>;
  readonly packets: GrpcClient<labeling.LabelingServiceService>;
  readonly clock: () => number;
}
