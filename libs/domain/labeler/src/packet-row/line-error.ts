/** A line of NDJSON that its schema refuses. `faults` names everything that is wrong with it. */
export class LineError extends Error {
  override readonly name = 'LineError';
  readonly faults: readonly string[];

  constructor(schema: string, faults: readonly string[]) {
    super(`no ${schema}: ${faults.join('; ')}`);
    this.faults = faults;
  }
}
