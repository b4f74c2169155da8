import type { z } from 'zod';
import { ConfigError, type ConfigFault, type Environment } from './config-error';
import { type GivenText, isSecret, secretOf } from './secret-variables';

const MISSING = 'must be set';

/**
 * Reads settings from the variables named by the schema's keys; empty ones count as absent. A secret may be in the file
 * named by `<NAME>_FILE`.
 * @throws {ConfigError} listing all faults
 */
export function readConfig<Schema extends z.ZodObject>(schema: Schema, env: Environment): z.output<Schema> {
  const { given, faults } = textsOf(schema, env);
  const result = schema.safeParse(Object.fromEntries([...given].map(([name, { text }]) => [name, text])));
  if (result.success && faults.length === 0) return result.data;
  const unread = new Set(faults.map(({ variable }) => variable));
  const refused = (result.error?.issues ?? []).map(({ path, message }) => {
    const name = path.join('.');
    if (name === '') return { variable: '(environment)', message };
    return { variable: given.get(name)?.variable ?? name, message: given.has(name) ? message : MISSING };
  });
  throw new ConfigError([...faults, ...refused.filter(({ variable }) => !unread.has(`${variable}_FILE`))]);
}

function textsOf(schema: z.ZodObject, env: Environment): { given: ReadonlyMap<string, GivenText>; faults: readonly ConfigFault[] } {
  const given = new Map<string, GivenText>();
  const faults: ConfigFault[] = [];
  for (const [name, variable] of Object.entries(schema.shape)) {
    try {
      const secret = isSecret(variable);
      if (secret) observed.get(env)?.add(name);
      const found = secret ? secretOf(name, env) : plainOf(name, env);
      if (found !== undefined) given.set(name, found);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults.push(...error.faults);
    }
  }
  return { given, faults };
}

function plainOf(name: string, env: Environment): GivenText | undefined {
  const text = env[name];
  return text ? { variable: name, text } : undefined;
}

export interface ReadVariables {
  /** Sorted; includes the `_FILE` variables of secrets. */
  readonly names: readonly string[];
  readonly secrets: readonly string[];
  readonly required: readonly string[];
}

const observed = new WeakMap<Environment, Set<string>>();

/** Calls `read` with an empty, observed environment. */
export function variablesReadBy(read: (env: Environment) => unknown): ReadVariables {
  const [names, secrets] = [new Set<string>(), new Set<string>()];
  const env: Environment = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get(_nothing, name) {
        if (typeof name === 'string') names.add(name);
        return undefined;
      },
    },
  );
  observed.set(env, secrets);
  const required = requiredBy(() => read(env));
  return { names: [...names].sort(), secrets: [...secrets].sort(), required };
}

function requiredBy(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.filter(({ message }) => message === MISSING).map(({ variable }) => variable);
  }
}
