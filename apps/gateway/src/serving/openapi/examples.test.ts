import { parseKey } from '@market-state/credentials';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import { type ProblemCode, PROBLEMS } from '@market-state/errors';
import { dereference, openApiDocument } from './document';

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  allowUnionTypes: true,
  formats: { password: true, binary: true },
  // Each check runs only a few times, so optimizing its code costs more than it saves.
  code: { optimize: false },
});

const checks = new Map<string, ValidateFunction>();

/** Cached by schema, since many examples share one. */
function checkOf(schema: object): ValidateFunction {
  const text = JSON.stringify(schema);
  const check = checks.get(text) ?? ajv.compile(dereference(openApiDocument, schema) as object);
  checks.set(text, check);
  return check;
}

interface Content {
  readonly schema?: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** Data of each message in an event stream, whose schema describes one message. */
function messagesOf(text: string): readonly unknown[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? '') as unknown);
}

/** Every example of the document, with its location and schema. */
function examplesIn(node: unknown, place: string): (readonly [string, object, unknown])[] {
  if (typeof node !== 'object' || node === null) return [];
  const { schema, example, examples } = node as Content;
  const own = [
    ...(example === undefined ? [] : [example]),
    ...Object.values(examples ?? {}).map((named) => (dereference(openApiDocument, named) as { readonly value: unknown }).value),
  ].flatMap((value) => (place.endsWith('/text/event-stream') ? messagesOf(value as string) : [value]));
  const shown = schema === undefined ? [] : own.map((value) => [place, schema, value] as const);
  const within = Object.entries(node).filter(([name]) => name !== 'schema' && name !== 'example' && name !== 'examples');
  return [...shown, ...within.flatMap(([name, inner]) => examplesIn(inner, `${place}/${name}`))];
}

function kindsOf(name: string): readonly unknown[] {
  return openApiDocument.components.schemas[name]?.['enum'] as readonly unknown[];
}

/** Error answers, each once by the name that operations refer to. */
const errors = Object.entries(openApiDocument.components.responses).filter(([name]) => name !== 'NotModified');

/** HTTP errors before a request has an operation, and unexpected ones. */
const OF_NO_OPERATION = ['method_not_allowed', 'request_timeout', 'headers_too_large', 'internal'];

interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, Content>>;
}

/** Every answer of every operation: location, status and content. */
const answers = Object.entries(openApiDocument.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { responses }]) =>
    Object.entries(responses ?? {}).map(
      ([status, response]) =>
        [`${method.toUpperCase()} ${path} ${status}`, status, dereference(openApiDocument, response) as Answer] as const,
    ),
  ),
);

describe('examples of the document', () => {
  it('show every answer of every operation in each of its forms; only 304 has no body', () => {
    const bodiless = answers.filter(([, , { content }]) => content === undefined).map(([, status]) => status);
    expect(new Set(bodiless)).toEqual(new Set(['304']));
    const unshown = answers.flatMap(([place, , { content = {} }]) =>
      Object.entries(content)
        .filter(([type, form]) => examplesIn(form, `/${type}`).length === 0)
        .map(([type]) => `${place} ${type}`),
    );
    expect(unshown).toEqual([]);
  });

  it('show every code that an operation may answer with', () => {
    const shown = answers.flatMap(([, , answer]) =>
      examplesIn(answer, '').map(([, , value]) => (value as { readonly code?: string } | null)?.code),
    );
    expect(Object.keys(PROBLEMS).filter((code) => !shown.includes(code) && !OF_NO_OPERATION.includes(code))).toEqual([]);
  });

  it('hold no secret that opens anything', () => {
    const text = JSON.stringify(openApiDocument);
    const keys = [...text.matchAll(/msk_(?:live|test)_[0-9A-Za-z]{46}/g)].map(([key]) => key);
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.filter((key) => parseKey(key) !== null)).toEqual([]);
  });

  it.each([...examplesIn(openApiDocument.paths, 'paths'), ...examplesIn(openApiDocument.webhooks, 'webhooks')])(
    '%s keeps to its schema',
    (_place, schema, value) => {
      const check = checkOf(schema);
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
        const { status, title } = PROBLEMS[code as ProblemCode];
        expect(example).toMatchObject({
          status,
          title,
          type: `urn:market-state:problem:${String(code)}`,
          docs: `/docs/errors/${String(code)}`,
        });
      }
    }
  });

  it('show every kind of message', () => {
    expect(Object.keys(openApiDocument.webhooks).sort()).toEqual([...kindsOf('MessageKind')].sort());
    const shown = examplesIn(openApiDocument.webhooks, '').map(([, , value]) => (value as { readonly type: unknown }).type);
    expect(shown).toEqual(Object.keys(openApiDocument.webhooks));
  });
});
