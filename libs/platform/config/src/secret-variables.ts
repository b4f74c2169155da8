import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError, type Environment } from './config-error';

const marks = z.registry<{ readonly isSecret: true }>();

/** Marks a variable's schema as that of a secret: `readConfig` takes its text from the file that `<NAME>_FILE` names as well. */
export function secretVariable<Schema extends z.ZodType>(schema: Schema): Schema {
  marks.add(schema, { isSecret: true });
  return schema;
}

/** Whether a variable is a secret, be it optional or not. */
export function isSecret(schema: z.core.$ZodType): boolean {
  return marks.get(schema) !== undefined || (schema instanceof z.ZodOptional && isSecret(schema.unwrap()));
}

/** The variable that names the file of a secret. */
export function fileVariableOf(name: string): string {
  return `${name}_FILE`;
}

/** A variable's text, and the variable that gave it. */
export interface GivenText {
  readonly variable: string;
  readonly text: string;
}

/**
 * A secret's text: its own variable's, or that of the file that `<NAME>_FILE` names, less the ends of lines at its end. Undefined where
 * neither is set, and where it is empty.
 * @throws {ConfigError} when both are set, or the file cannot be read
 */
export function secretOf(name: string, env: Environment): GivenText | undefined {
  const [own, path] = [env[name], env[fileVariableOf(name)]];
  if (!path) return own ? { variable: name, text: own } : undefined;
  const variable = fileVariableOf(name);
  if (own) throw new ConfigError([{ variable, message: `and ${name} are both set: one of them must not be` }]);
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
