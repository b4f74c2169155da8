import type { System } from '../../src/index';
import type { Api } from './api';

/** A system that plays the recording from now on, at twenty times its speed. One is started for all tests of it. */
export interface RecordedSystem {
  readonly system: System;
  readonly api: Api;
  /** The demo key, which `api` calls with where it is asked to. */
  readonly key: string;
}
