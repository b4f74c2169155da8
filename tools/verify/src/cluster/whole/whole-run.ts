import type { Pool } from 'pg';
import type { PacketStream } from '../packet-stream';
import type { SteadyReads } from '../steady-reads';
import type { Busy } from './customers';
import type { Kill } from './kills';
import type { Lives } from './lives';
import type { WholeScene } from './open-scene';

/** All that was done and seen while the load lasted. */
export interface WholeRun {
  readonly scene: WholeScene;
  readonly busy: Busy;
  /** The database of webhooks. */
  readonly webhooks: Pool;
  readonly lives: Lives;
  readonly reads: SteadyReads;
  readonly streams: readonly PacketStream[];
  readonly kills: readonly Kill[];
  /** Attempts that may have been under way when their worker or their database was killed. */
  readonly underWayAtKills: number;
  readonly orders: readonly { readonly id: string; readonly refused: number }[];
  readonly loadMs: number;
}
