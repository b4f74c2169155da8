import type { ArchiveReader } from '@market-state/archive';
import type { feed } from '@market-state/contracts';
import type { EventLog } from '@market-state/event-log';
import type { GrpcClient, healthDefinition } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import type { Pool } from 'pg';
import type { MarketTail } from '../market/tail';

/** What the RPCs use. */
export interface RpcDeps {
  readonly logger: Logger;
  readonly tail: MarketTail;
  readonly pool: Pool;
  /** Absent: nothing is archived, and all rows are hot. */
  readonly archive?: ArchiveReader;
  readonly log: EventLog;
  readonly feed: GrpcClient<typeof feed.FeedServiceService>;
  readonly feedHealth: GrpcClient<typeof healthDefinition>;
  readonly recorderHealth: GrpcClient<typeof healthDefinition>;
  readonly wallNowMs: () => number;
}
