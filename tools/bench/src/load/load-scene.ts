import type { System } from '@market-state/launcher';

/** What the parts of this benchmark work on. */
export interface LoadScene {
  readonly system: System;
  /** Address of `latest`. */
  readonly url: string;
  readonly keys: readonly string[];
  readonly say: (line: string) => void;
}
