import type { ProofResult } from '../proof';
import type { Scene } from './scene';

/** One attack on a gateway that serves others meanwhile; whatever it opened is closed when it resolves. */
export interface Attack {
  /** What follows `--only`. */
  readonly id: string;
  run(scene: Scene): Promise<ProofResult>;
}
