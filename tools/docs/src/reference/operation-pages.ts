import { Variable } from '@market-state/call-snippets';
import { priceWords } from '@market-state/pricing';
import { DOCS, type Page } from '../site/page';
import { type Answer, type Content, type Example, type NamedOperation, openApi, operations, resolve, type Schema } from './document';
import { fieldTable } from './message-pages';
import { errorsOf } from './error-pages';
import { exampleCallOf, parametersOf, snippetTabs } from './snippets';
import { code, fence, formOf, jsonBlock, line, table, operationPath, errorPath } from './text';

const GROUP = 'Reference';

export function operationPages(): Page[] {
  const pages = operations.map((operation) => ({
    path: operationPath(operation.operationId),
    title: operation.summary,
    description: `${operation.method} ${operation.route}`,
    group: GROUP,
    source: null,
    markdown: pageText(operation),
    unlisted: true,
  }));
  return [
    {
      path: `${DOCS}/reference/operations`,
      title: 'Operations',
      description: 'Every operation of the API, by tag.',
      group: GROUP,
      source: null,
      markdown: indexText(),
    },
    ...pages,
  ];
}

function indexText(): string {
  const sections = openApi.tags.flatMap(({ name, description }) => {
    const own = operations.filter(({ tags }) => tags[0] === name);
    if (own.length === 0) return [];
    const rows = own.map((operation) => [
      `[${line(operation.summary)}](${operationPath(operation.operationId)})`,
      code(`${operation.method} ${operation.route}`),
      accessWords(operation),
      operation['x-price'] === undefined ? 'free' : priceWords(operation['x-price']),
    ]);
    return [`## ${name}`, line(description), table(['Operation', 'Route', 'Access', 'Cost'], rows)];
  });
  const about =
    'Each page has the parameters, a call to copy or to try in the [console](/console), a recorded answer, and every error. The [OpenAPI document](/openapi.json) has the same for programs; import it into Postman or Bruno.';
  return [`# Operations`, about, ...sections].join('\n\n');
}

function accessWords({ security = [] }: NamedOperation): string {
  const names = security.flatMap((way) => Object.keys(way));
  const words = [
    ...(names.includes('MarketStateApiKey') ? ['key'] : []),
    ...(names.includes('MarketStateAccountSession') ? ['session'] : []),
  ];
  return words.length === 0 ? 'no key needed' : words.join(' or ');
}

const SANDBOX: Readonly<Record<string, string>> = {
  delayed: 'allowed, with data at least 600 s old',
  refused: 'refused (`sandbox_refused`)',
  live: 'allowed, like any key',
};

function factRows(operation: NamedOperation): string[][] {
  const { 'x-scope': scope, 'x-role': role, 'x-sandbox': sandbox, 'x-price': price } = operation;
  return [
    ['Access', `${accessWords(operation)}${scope === undefined ? '' : `, scope ${code(scope)}`}`],
    ...(role === undefined || role === 'read_only' ? [] : [['Role of a session', `${code(role)} ([roles](${DOCS}/guides/team))`]]),
    ['Cost', price === undefined ? 'free' : `${priceWords(price)} ([credits](${DOCS}/guides/credits))`],
    ...(sandbox === undefined ? [] : [['Sandbox key', SANDBOX[sandbox] ?? sandbox]]),
    ...deprecationRow(operation),
  ];
}

export function deprecationRow({
  deprecated,
  'x-deprecated-at': since,
  'x-sunset': sunset,
  'x-deprecation-link': link,
}: Pick<NamedOperation, 'deprecated' | 'x-deprecated-at' | 'x-sunset' | 'x-deprecation-link'>): string[][] {
  if (deprecated !== true || since === undefined || link === undefined) return [];
  const until = sunset === undefined ? 'no removal date is set' : `available until at least ${sunset.slice(0, 10)}`;
  return [['Deprecated', `since ${since.slice(0, 10)}; ${until} ([what to use instead](${link}))`]];
}

function parameterTable(operation: NamedOperation): string[] {
  const all = parametersOf(operation).filter(({ name }) => name !== 'x-market-state-api-key');
  if (all.length === 0) return [];
  const rows = all.map(({ name, in: where, required, description, schema }) => {
    const whole = resolve<Schema>(schema);
    const need =
      required === true || where === 'path'
        ? 'required'
        : whole.default === undefined
          ? ''
          : `default ${whole.default === '' ? 'empty' : code(whole.default)}`;
    return [code(name), where, line(formOf(whole)), need, line(description)];
  });
  return ['## Parameters', table(['Name', 'In', 'Type', '', 'Meaning'], rows)];
}

function bodyPart({ requestBody }: NamedOperation): string[] {
  const schema = requestBody === undefined ? undefined : Object.values(requestBody.content)[0]?.schema;
  const fields = schema === undefined ? '' : fieldTable(schema);
  return fields === '' ? [] : ['## Body', fields];
}

function exampleBlock({ summary, value }: Example): string {
  const text = typeof value === 'string' ? fence('text', value) : jsonBlock(value);
  return [...(summary === undefined ? [] : [line(summary)]), text].join('\n\n');
}

function answerPart(operation: NamedOperation): string[] {
  const answer = resolve<Answer>(operation.responses['200'] ?? { description: '' });
  return Object.entries(answer.content ?? {}).flatMap(([mediaType, content]: [string, Content]) => {
    const examples = Object.values(content.examples ?? {}).map((example) => exampleBlock(resolve<Example>(example)));
    const fields = content.schema === undefined ? '' : fieldTable(content.schema);
    return ['## Answer', `${line(answer.description)} ${code(mediaType)}`, ...examples, ...(fields === '' ? [] : ['### Fields', fields])];
  });
}

function errorPart(operation: NamedOperation): string[] {
  const rows = errorsOf(operation).map(({ status, codes, description }) => [
    status,
    codes.map((each) => `[${code(each)}](${errorPath(each)})`).join(' '),
    line(description),
  ]);
  return rows.length === 0 ? [] : ['## Errors', table(['Status', 'Codes', 'Meaning'], rows)];
}

/** A value as entered in the console's form: a list of words with commas, any object as JSON. */
function fieldText(value: unknown): string {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Link to the console with the example's values; values that the reader must supply stay empty. */
function tryLink(operation: NamedOperation): string {
  const { places, query, body } = exampleCallOf(operation);
  const given = Object.entries({ ...places, ...query, ...body }).filter(([, value]) => !(value instanceof Variable));
  const search = new URLSearchParams([
    ['operation', operation.operationId],
    ...given.map(([name, value]): [string, string] => [name, fieldText(value)]),
  ]);
  return `[Try it in the console](/console?${search.toString()}): it shows the cost before the call, the answer and the actual cost.`;
}

function pageText(operation: NamedOperation): string {
  return [
    `# ${operation.summary}`,
    code(`${operation.method} ${operation.route}`),
    line(operation.description),
    table(['', ''], factRows(operation)),
    '## Example call',
    snippetTabs(operation),
    tryLink(operation),
    ...parameterTable(operation),
    ...bodyPart(operation),
    ...answerPart(operation),
    ...errorPart(operation),
  ].join('\n\n');
}
