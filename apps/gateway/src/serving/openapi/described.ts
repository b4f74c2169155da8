import { internal } from '@market-state/errors';
import { openApiDocument } from './document';
import type { components } from '../../../openapi/generated/operations';

/** Schemas of the document by name. */
export type DescribedName = keyof components['schemas'];

/** A part of an answer as the document types it. */
export type Described<Name extends DescribedName> = components['schemas'][Name];

/** An answer without its envelope. */
export type WithoutMeta<Name extends DescribedName> = Omit<Described<Name>, 'meta'>;

/** The words that the document lists for a field, itself or each of a list. */
type WordOf<Name extends DescribedName, Field extends keyof Described<Name>> = Extract<
  Described<Name>[Field] extends readonly (infer Item)[] ? Item : Described<Name>[Field],
  string
>;

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** The schema that another one names; itself where it names none. */
function resolved(schema: unknown): unknown {
  const reference = memberOf(schema, '$ref');
  return typeof reference === 'string' ? openApiDocument.components.schemas[reference.slice(reference.lastIndexOf('/') + 1)] : schema;
}

/**
 * Reads what a neighbour calls something as one of the words that the document lists for a field of a schema.
 * @throws Error at once where the document lists none; ServiceError INTERNAL, when read, for a word that is not listed
 */
export function documentedWord<Name extends DescribedName, Field extends keyof Described<Name> & string>(
  name: Name,
  field: Field,
): (word: string) => WordOf<Name, Field> {
  const schema = resolved(memberOf(memberOf(openApiDocument.components.schemas[name], 'properties'), field));
  const word = memberOf(memberOf(schema, 'items') ?? schema, 'const');
  const listed = word === undefined ? memberOf(memberOf(schema, 'items') ?? schema, 'enum') : [word];
  if (!Array.isArray(listed)) throw new Error(`the document lists no words for ${field} of ${name}`);
  const words = new Set<unknown>(listed);
  const isListed = (word: string): word is WordOf<Name, Field> => words.has(word);
  return (word) => {
    if (!isListed(word)) throw internal({ detail: `${word} is not among the words of ${field} of ${name}` });
    return word;
  };
}
