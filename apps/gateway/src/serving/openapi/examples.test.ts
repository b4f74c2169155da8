import { Ajv2020 } from 'ajv/dist/2020';
import { PROBLEMS, type ProblemCode } from '../errors/problem';
import { dereference } from './dereference';
import { openApiDocument } from './document';

const ajv = new Ajv2020({ strict: false, allErrors: true, allowUnionTypes: true, formats: { password: true } });

interface Content {
  readonly schema?: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** Every example of the document, with its place and the schema that it is of. */
function examplesIn(node: unknown, place: string): (readonly [string, object, unknown])[] {
  if (typeof node !== 'object' || node === null) return [];
  const { schema, example, examples } = node as Content;
  const own = [
    ...(example === undefined ? [] : [example]),
    ...Object.values(examples ?? {}).map((named) => (dereference(openApiDocument, named) as { readonly value: unknown }).value),
  ];
  const told = schema === undefined ? [] : own.map((value) => [place, schema, value] as const);
  return [...told, ...Object.entries(node).flatMap(([name, inner]) => (name === 'schema' ? [] : examplesIn(inner, `${place}/${name}`)))];
}

function kindsOf(name: string): readonly unknown[] {
  return openApiDocument.components.schemas[name]?.['enum'] as readonly unknown[];
}

/** Answers that are errors, each once by the name that operations refer to it by. */
const errors = Object.entries(openApiDocument.components.responses).filter(([name]) => name !== 'NotModified');

describe('examples of the document', () => {
  it.each([...examplesIn(openApiDocument.paths, 'paths'), ...examplesIn(openApiDocument.webhooks, 'webhooks')])(
    '%s keeps to its schema',
    (_place, schema, value) => {
      const check = ajv.compile(dereference(openApiDocument, schema) as object);
      check(value);
      expect(check.errors).toBeNull();
    },
  );

  it.each(errors)('%s has an example, which says what such an answer says', (_name, response) => {
    const examples = examplesIn(dereference(openApiDocument, response), '').map(
      ([, , value]) => value as Readonly<Record<string, unknown>>,
    );
    expect(examples).not.toEqual([]);
    for (const { code, ...example } of examples) {
      if (code === undefined) expect(example).toMatchObject({ fault_total: (example['detail'] as readonly unknown[]).length });
      else {
        const known = PROBLEMS[code as ProblemCode];
        expect(example).toMatchObject({ ...known, type: `urn:market-state:problem:${String(code)}`, docs: '/docs' });
      }
    }
  });

  it('show every kind of message', () => {
    expect(Object.keys(openApiDocument.webhooks).sort()).toEqual([...kindsOf('MessageKind')].sort());
    const shown = examplesIn(openApiDocument.webhooks, '').map(([, , value]) => (value as { readonly type: unknown }).type);
    expect(shown).toEqual(Object.keys(openApiDocument.webhooks));
  });
});
