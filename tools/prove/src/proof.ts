/** One long proof of a promise that is too slow for every change. */
export interface Proof {
  /** What stands after `npm run prove --`. */
  readonly id: string;
  /** The promise, in one sentence. */
  readonly claim: string;
  /** The budget of the long form, and what it counts. */
  readonly budget: { readonly default: number; readonly counts: string };
  run(context: ProofContext): Promise<ProofResult>;
}

export interface ProofContext {
  /** Every random choice comes from this. */
  readonly seed: number;
  /** How many random events of its kind the proof makes. */
  readonly budget: number;
  /** Messages of each run, for proofs that play messages; absent: as many as the long form plays. */
  readonly messages?: number;
  /** The part to run alone, for proofs that have parts; absent: all of them. */
  readonly only?: string;
  /** Takes one line of progress. */
  readonly say: (line: string) => void;
}

export interface ProofResult {
  /** Each a sentence naming what broke; none means proved. */
  readonly failures: readonly string[];
  /** Each a sentence naming what came too late, or was not seen in time. Fails the proof too, but depends on what else the machine does. */
  readonly timing: readonly string[];
  readonly figures: readonly (readonly [name: string, figure: string | number])[];
}
