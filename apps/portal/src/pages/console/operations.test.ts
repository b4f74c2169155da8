import { readFileSync } from 'node:fs';
import { MarketState } from '@market-state/client';
import { snippetsOf } from '@market-state/call-snippets';
import { PAGES } from '../../pages';
import { readForm } from './field-values';
import { NO_FORM, docsPath, findOperation, operations } from './operations';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string; readonly 'x-twin-of'?: string }>>>>;
}

const file = new URL('../../../../gateway/openapi/openapi.json', import.meta.url);
const document = JSON.parse(readFileSync(file, 'utf8')) as Document;
const all = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const client = new MarketState({ baseUrl: 'http://127.0.0.1:1', session: true });

/** A value of each kind of field that is needed. */
const SAMPLES = { string: 'x', integer: '1', number: '1', boolean: 'true', words: 'a, b', json: '{"kind":"state_changed"}' } as const;

test('every operation and its twin has a form or a reason for having none', () => {
  const lacking = all.filter(({ operationId, 'x-twin-of': twinOf }) => findOperation(operationId)?.id !== (twinOf ?? operationId));
  expect(lacking).toEqual([]);
  expect(operations.length).toBeGreaterThan(100);
});

test('operations with secrets have no form', () => {
  const secret = operations.filter(({ hasSecret }) => hasSecret === true);
  expect(secret.map(({ id }) => id)).toEqual(expect.arrayContaining(['createKey', 'logIn', 'createSandboxKey']));
  expect(secret.filter(({ id }) => NO_FORM[id] === undefined).map(({ id }) => id)).toEqual([]);
});

test('every reason belongs to an operation and links to an existing page', () => {
  const patterns: readonly string[] = Object.values(PAGES).map(({ pattern }) => pattern);
  for (const [id, { instead }] of Object.entries(NO_FORM)) {
    expect(findOperation(id)?.id).toBe(id);
    if (instead !== null && !instead.href.startsWith('/docs/')) expect(patterns).toContain(instead.href);
  }
});

const withForm = operations.filter(({ id }) => NO_FORM[id] === undefined);

test.each(withForm.map((operation) => [operation.id, operation] as const))(
  'the form of %s makes a request that can be sent',
  (id, operation) => {
    const names = operation.fields.map(({ name }) => name);
    expect(new Set([...names, 'operation']).size).toBe(names.length + 1);
    const filled = readForm(operation, (name) => {
      const field = operation.fields.find((each) => each.name === name);
      return field?.required === true ? String(field.enum?.find((each) => each !== '') ?? SAMPLES[field.type]) : '';
    });
    expect([...filled.faults]).toEqual([]);
    const sent = client.requestOf(id, { ...filled.places, ...filled.query, ...filled.body } as never);
    expect(sent.method).toBe(operation.method);
    expect(sent.path).not.toMatch(/[{}]/);
    const needed = operation.fields.filter(({ in: place, required }) => place === 'body' && required === true).map(({ name }) => name);
    expect(Object.keys(JSON.parse(sent.body ?? '{}') as object)).toEqual(expect.arrayContaining(needed));
    const texts = snippetsOf(
      { ...filled, method: operation.method, route: operation.path, sdkName: operation.sdk, takesKey: operation.needsCredential },
      'https://api.example.com',
    );
    expect(texts.map(({ name }) => name)).toEqual(expect.arrayContaining(['curl', 'TypeScript', 'Python']));
    expect(docsPath(operation)).toMatch(/^\/docs\/reference\/operations\/[a-z0-9-]+$/);
  },
);
