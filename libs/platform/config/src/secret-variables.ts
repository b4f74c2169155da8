import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError, type Environment } from './config-error';

const marks = z.registry<{ readonly isSecret: true }>();

/** `readConfig` also reads a secret from the file named by `<NAME>_FILE`. */
export function secretVariable<Schema extends z.ZodType>(schema: Schema): Schema {
  marks.add(schema, { isSecret: true });
  return schema;
}

/** Also true for optional secrets. */
export function isSecret(schema: z.core.$ZodType): boolean {
  return marks.get(schema) !== undefined || (schema instanceof z.ZodOptional && isSecret(schema.unwrap()));
}

export function fileVariableOf(name: string): string {
  return `${name}_FILE`;
}

export interface GivenText {
  readonly variable: string;
  readonly text: string;
}

/**
 * Without trailing line breaks. Undefined if unset or empty.
 * @throws {ConfigError} if both are set or the file cannot be read
 */
export function secretOf(name: string, env: Environment): GivenText | undefined {
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
