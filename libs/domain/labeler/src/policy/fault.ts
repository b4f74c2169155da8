/** One thing wrong with a policy file. */
export interface PolicyFault {
  /** File name without `.json`. */
  readonly file: string;
  /** Where in the file, as a JSON pointer; '' is the whole file. */
  readonly path: string;
  readonly message: string;
}

/** The policy files cannot be used. Holds every fault found, each with its file and path. */
export class PolicyError extends Error {
  readonly faults: readonly PolicyFault[];

  constructor(faults: readonly PolicyFault[]) {
    super(faults.map((fault) => `policy/${fault.file}.json${fault.path}: ${fault.message}`).join('\n'));
    this.name = 'PolicyError';
    this.faults = faults;
  }
}

/** Collects what is wrong at a place of a file. */
export type Report = (path: string, message: string) => void;
