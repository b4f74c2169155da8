import type { System } from '@market-state/testing';
import type { Api } from './api';
import type { RunningSystem } from './running-system';
import type { ServedDocument } from './served-document';

/** A system that is ready, and the ways to ask it. */
export interface ReadySystem {
  readonly system: RunningSystem;
  readonly api: Api;
  /** The demo key, which `api` calls with where it is asked to. */
  readonly key: string;
  readonly served: ServedDocument;
}

/** The system as `npm start` runs it, with its hour of history. One is started for all tests of it: that takes a minute of both cores. */
export interface DefaultSystem extends ReadySystem {
  readonly system: System;
  /** Wall clock at which the system was ready, milliseconds since the epoch. */
  readonly readyMs: number;
}
