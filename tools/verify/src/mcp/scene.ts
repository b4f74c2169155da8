import type { MarketState } from '@market-state/client';
import type { System } from '@market-state/testing';
import type { OpenAgent } from './agents';

/** What the parts of the suite share. */
export interface McpScene {
  readonly system: System;
  /** Of a tenant of its own. */
  readonly key: string;
  readonly ms: MarketState;
  readonly agents: readonly OpenAgent[];
}
