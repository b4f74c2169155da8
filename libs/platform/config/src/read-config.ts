import type { z } from 'zod';
import { ConfigError, type ConfigFault, type Environment } from './config-error';
import { type GivenText, isSecret, secretOf } from './secret-variables';

const MISSING = 'must be set';

/**
 * Reads typed settings from environment variables. The schema's keys are the variables' names; an empty variable counts
 * as absent and unknown ones are ignored. A secret may come from a file: `<NAME>_FILE` names it.
 * @throws {ConfigError} with every fault at once.
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

/** What the environment says of each variable of a schema that it sets. */
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

/** The variables that a process reads. */
export interface ReadVariables {
  /** Names of all of them, sorted; that of a secret's file stands beside that of the secret. */
  readonly names: readonly string[];
  /** Those that are secrets. */
  readonly secrets: readonly string[];
  /** Those that must be set. */
  readonly required: readonly string[];
}

/** Environments that are watched, each with the names of the secrets that it was asked for. */
const observed = new WeakMap<Environment, Set<string>>();

/** What `read` asks an environment for in which nothing is set. */
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
