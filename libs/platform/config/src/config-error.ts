/** Invalid environment variable. Never includes its value. */
export interface ConfigFault {
  readonly variable: string;
  readonly message: string;
}

/** `faults` lists every invalid variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly faults: readonly ConfigFault[]) {
    super(`Invalid configuration:\n${faults.map((fault) => `  ${fault.variable}: ${fault.message}`).join('\n')}`);
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;
