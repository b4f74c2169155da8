import { readFileSync } from 'node:fs';
import { z } from 'zod';

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

const MISSING = 'must be set';

/**
 * Reads settings from the variables named by the schema's keys; empty ones count as absent. A secret may be in the file
 * named by `<NAME>_FILE`.
 * @throws {ConfigError} listing all faults
 */
export function readConfig<Schema extends z.ZodObject>(schema: Schema, env: Environment): z.output<Schema> {
  const { given, faults } = textsOf(schema, env);
  const unread = new Set(faults.map(({ variable }) => variable));
  const values = new Map<string, unknown>();
  for (const [name, variable] of Object.entries(schema.shape)) {
    if (unread.has(fileVariableOf(name))) continue;
    const found = given.get(name);
    for (const message of readVariable(variable, found?.text, (value) => values.set(name, value)))
      faults.push(found === undefined ? { variable: name, message: MISSING } : { variable: found.variable, message });
  }
  for (const { path, message } of issuesBetween(schema, values)) {
    const name = path.join('.');
    faults.push({ variable: name === '' ? '(environment)' : (given.get(name)?.variable ?? name), message });
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.fromEntries([...values].filter(([, value]) => value !== undefined)) as z.output<Schema>;
}

/** Messages of its faults. `keep` receives the value unless a fault ends the check. */
function readVariable(variable: z.core.$ZodType, text: string | undefined, keep: (value: unknown) => void): readonly string[] {
  const checked = z
    .object({ value: variable })
    .superRefine(({ value }) => keep(value))
    .safeParse(text === undefined ? {} : { value: text }, { error: toSentence });
  return (checked.error?.issues ?? []).map(({ message }) => message);
}

/** For checks without a message of their own. */
const toSentence: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  if (issue.code === 'too_big') return `must have at most ${issue.maximum} characters`;
  return undefined;
};

/** A refinement read a variable that has no value because it is missing or invalid. */
class NoValue extends Error {}

/** Faults between variables: those of each refinement that reads only variables with values. */
function issuesBetween(schema: z.ZodObject, values: ReadonlyMap<string, unknown>): readonly z.core.$ZodIssue[] {
  const read = new Proxy(Object.fromEntries(values), {
    get(target, name) {
      if (typeof name === 'string' && name in schema.shape && !values.has(name)) throw new NoValue();
      return Reflect.get(target, name) as unknown;
    },
  });
  return (schema.def.checks ?? []).flatMap((check) => {
    try {
      return (
        z
          .any()
          .check(check as z.core.$ZodCheck<unknown>)
          .safeParse(read).error?.issues ?? []
      );
    } catch (error) {
      if (error instanceof NoValue) return [];
      throw error;
    }
  });
}

function textsOf(schema: z.ZodObject, env: Environment): { given: ReadonlyMap<string, GivenText>; faults: ConfigFault[] } {
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

const marks = z.registry<{ readonly isSecret: true }>();

/** `readConfig` also reads a secret from the file named by `<NAME>_FILE`. */
export function secretVariable<Schema extends z.ZodType>(schema: Schema): Schema {
  marks.add(schema, { isSecret: true });
  return schema;
}

/** Also true for optional secrets. */
function isSecret(schema: z.core.$ZodType): boolean {
  return marks.get(schema) !== undefined || (schema instanceof z.ZodOptional && isSecret(schema.unwrap()));
}

export function fileVariableOf(name: string): string {
  return `${name}_FILE`;
}

interface GivenText {
  readonly variable: string;
  readonly text: string;
}

/**
 * Without trailing line breaks. Undefined if unset or empty.
 * @throws {ConfigError} if both are set or the file cannot be read
 */
function secretOf(name: string, env: Environment): GivenText | undefined {
  const [own, path] = [env[name], env[fileVariableOf(name)]];
  if (!path) return own ? { variable: name, text: own } : undefined;
  const variable = fileVariableOf(name);
  if (own) throw new ConfigError([{ variable, message: `and ${name} are both set: unset one of them` }]);
  const text = textOf(variable, path).replace(/[\r\n]+$/, '');
  return text === '' ? undefined : { variable, text };
}

function textOf(variable: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError([{ variable, message: `cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}` }]);
  }
}
