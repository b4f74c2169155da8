import type { SuiteContext } from '../harness';
import type { Scene } from './scene';

/** One attack on a gateway that serves others meanwhile. */
export interface Attack {
  /** What follows `--only`. */
  readonly id: string;
  /** The context is that of this attack alone: what it opens is closed before the next. */
  run(scene: Scene, context: SuiteContext): Promise<void>;
}
