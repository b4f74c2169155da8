import type { z } from 'zod';

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

/**
 * Reads typed settings from environment variables. The schema's keys are the variables' names; an empty variable counts
 * as absent and unknown ones are ignored.
 * @throws {ConfigError} with every fault at once.
 */
export function readConfig<Schema extends z.ZodType>(schema: Schema, env: Environment): z.output<Schema> {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const result = schema.safeParse(present);
  if (result.success) return result.data;
  throw new ConfigError(
    result.error.issues.map(({ path, message }) => {
      const variable = path.join('.');
      return { variable: variable || '(environment)', message: variable === '' || variable in present ? message : 'must be set' };
    }),
  );
}
