/** One environment variable that cannot be used. Never includes its value. */
export interface ConfigFault {
  readonly variable: string;
  readonly message: string;
}

/** The environment cannot be used; `faults` names every variable at fault. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly faults: readonly ConfigFault[]) {
    super(`Configuration is not valid:\n${faults.map((fault) => `  ${fault.variable}: ${fault.message}`).join('\n')}`);
  }
}

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;
