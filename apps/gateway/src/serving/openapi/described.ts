import { internal } from '@market-state/errors';
import { openApiDocument } from './document';
import type { components } from '../../../openapi/generated/operations';

export type DescribedName = keyof components['schemas'];

export type Described<Name extends DescribedName> = components['schemas'][Name];

export type WithoutMeta<Name extends DescribedName> = Omit<Described<Name>, 'meta'>;

type WordOf<Name extends DescribedName, Field extends keyof Described<Name>> = Extract<
  Described<Name>[Field] extends readonly (infer Item)[] ? Item : Described<Name>[Field],
  string
>;

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function resolved(schema: unknown): unknown {
  const reference = memberOf(schema, '$ref');
  return typeof reference === 'string' ? openApiDocument.components.schemas[reference.slice(reference.lastIndexOf('/') + 1)] : schema;
}

/**
 * Reads an upstream value as a documented enum value.
 * @throws {Error} immediately if the document lists none; {ServiceError} INTERNAL, when read, for an unlisted value
 */
export function documentedWord<Name extends DescribedName, Field extends keyof Described<Name> & string>(
  name: Name,
  field: Field,
): (word: string) => WordOf<Name, Field> {
  const schema = resolved(memberOf(memberOf(openApiDocument.components.schemas[name], 'properties'), field));
  const word = memberOf(memberOf(schema, 'items') ?? schema, 'const');
  const listed = word === undefined ? memberOf(memberOf(schema, 'items') ?? schema, 'enum') : [word];
  if (!Array.isArray(listed)) throw new Error(`the document lists no values for ${field} of ${name}`);
  const words = new Set<unknown>(listed);
  const isListed = (word: string): word is WordOf<Name, Field> => words.has(word);
  return (word) => {
    if (!isListed(word)) throw internal({ detail: `${word} is not a listed value for ${field} of ${name}` });
    return word;
  };
}
