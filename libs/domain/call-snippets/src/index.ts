export class Variable {
  /** @param name upper case, as in a shell: `EVENT_ID` */
  constructor(readonly name: string) {}
}

/** Placeholder for a value that the reader fills in. */
export function variable(name: string): Variable {
  return new Variable(name);
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Variable);
}

function typescriptLiteral(value: unknown): string {
  if (value instanceof Variable) return camel(value.name);
  if (typeof value === 'string') return singleQuoted(value);
  if (Array.isArray(value)) return `[${value.map(typescriptLiteral).join(', ')}]`;
  if (!isFields(value)) return JSON.stringify(value);
  return typescriptObject(value);
}

/** Empty if there are no fields. */
function typescriptObject(fields: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(fields).map(([name, each]) => `${fieldName(name)}: ${typescriptLiteral(each)}`);
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

function fieldName(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? name : singleQuoted(name);
}

function pythonLiteral(value: unknown): string {
  if (value instanceof Variable) return value.name.toLowerCase();
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (!isFields(value)) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, each]) => `${JSON.stringify(name)}: ${pythonLiteral(each)}`)
    .join(', ')}}`;
}

/** Python keywords that are API parameter names; the Python client appends `_`. */
const PYTHON_KEPT: ReadonlySet<string> = new Set(['from']);

function pythonArguments(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .map(([name, each]) => `${PYTHON_KEPT.has(name) ? `${name}_` : name}=${pythonLiteral(each)}`)
    .join(', ');
}

function singleQuoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll(String.raw`\"`, '"').replaceAll("'", String.raw`\'`);
  return `'${inner}'`;
}

function camel(name: string): string {
  return name.toLowerCase().replace(/_([a-z])/g, (_whole, letter: string) => letter.toUpperCase());
}

/** Literal parts with variables between them. */
type ShellText = readonly (string | Variable)[];

/** Quotes one POSIX shell word in which only variables are expanded. */
function quoted(text: ShellText): string {
  if (!text.some((part) => part instanceof Variable))
    return `'${text.map((part) => (part instanceof Variable ? '' : part.replaceAll("'", String.raw`'\''`))).join('')}'`;
  return `"${text.map((part) => (part instanceof Variable ? `$${part.name}` : part.replace(/["\\$`]/g, String.raw`\$&`))).join('')}"`;
}

function jsonText(value: unknown): ShellText {
  if (value instanceof Variable) return ['"', value, '"'];
  if (Array.isArray(value)) return ['[', ...between(value.map((each: unknown) => jsonText(each))), ']'];
  if (isFields(value))
    return ['{', ...between(Object.entries(value).map(([name, each]) => [`${JSON.stringify(name)}:`, ...jsonText(each)])), '}'];
  return [JSON.stringify(value)];
}

function between(items: readonly ShellText[]): ShellText {
  return items.flatMap((item, at) => (at === 0 ? item : [',', ...item]));
}

/** Percent-encoded only where an address needs it. */
function addressText(route: string, places: Readonly<Record<string, unknown>>, query: Readonly<Record<string, unknown>>): ShellText {
  const path = route.split(/(\{\w+\})/).flatMap((part): ShellText => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    return name === undefined ? [part] : escaped(places[name]);
  });
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((each: unknown) => [name, each] as const));
  return [...path, ...pairs.flatMap(([name, value], at) => [`${at === 0 ? '?' : '&'}${name}=`, ...escaped(value)])];
}

function escaped(value: unknown): ShellText {
  if (value instanceof Variable) return [value];
  return [encodeURIComponent(String(value)).replaceAll('%2F', '/').replaceAll('%2C', ',').replaceAll('%3A', ':')];
}

/** Values are as the API takes them, or `variable(…)`. */
export interface SnippetCall {
  readonly method: string;
  /** With path parameters in braces. */
  readonly route: string;
  /** SDK method such as `history.get`. */
  readonly sdkName: string;
  readonly takesKey: boolean;
  readonly places: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
}

export interface Snippet {
  readonly name: 'curl' | 'TypeScript' | 'Python' | 'Command line';
  readonly language: 'sh' | 'ts' | 'python';
  readonly code: string;
}

/** SDK calls that yield messages one at a time. */
const STREAM = /^stream\.(?!manifest)/;

/** SDK calls that return a `fetch` response. */
const FILE = /^(?:events\.bundle|exports\.file)$/;

/**
 * Renders a call for curl, TypeScript, Python and the command line, where each supports it. The key is read from
 * `MARKET_STATE_API_KEY`.
 */
export function snippetsOf(call: SnippetCall, baseUrl: string): readonly Snippet[] {
  const { method, route, sdkName, takesKey, places, query } = call;
  const snippets: Snippet[] = [
    { name: 'curl', language: 'sh', code: curlOf(call, baseUrl) },
    { name: 'TypeScript', language: 'ts', code: typescriptOf(call) },
    { name: 'Python', language: 'python', code: pythonOf(call) },
  ];
  if (takesKey && method === 'GET' && !STREAM.test(sdkName))
    snippets.push({ name: 'Command line', language: 'sh', code: `market-state get ${quoted(addressText(route, places, query))}` });
  return snippets;
}

function curlOf({ method, route, places, query, body, takesKey }: SnippetCall, baseUrl: string): string {
  const parts = [
    `curl${method === 'GET' ? '' : ` -X ${method}`}`,
    ...(takesKey ? ['-H "x-market-state-api-key: $MARKET_STATE_API_KEY"'] : []),
    ...(body === undefined ? [] : [`-H 'content-type: application/json'`, `-d ${quoted(jsonText(body))}`]),
    quoted([baseUrl, ...addressText(route, places, query)]),
  ];
  return parts.join(' \\\n  ');
}

function typescriptOf(call: SnippetCall): string {
  const given = givenOf(call, (name) => name.replace(/_([a-z])/g, (_whole, letter: string) => letter.toUpperCase()));
  const argument = Object.keys(given).length === 0 ? '' : typescriptObject(given);
  if (STREAM.test(call.sdkName)) return `for await (const message of ms.${call.sdkName}(${argument})) console.log(message);`;
  return `const { ${FILE.test(call.sdkName) ? 'response' : 'data'}, call } = await ms.${call.sdkName}(${argument});`;
}

function pythonOf(call: SnippetCall): string {
  const name = call.sdkName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const made = `ms.${name}(${pythonArguments(givenOf(call, (each) => each))})`;
  if (STREAM.test(call.sdkName)) return `with ${made} as messages:\n    for message in messages:\n        print(message)`;
  return `answer = ${made}`;
}

/** All inputs in one object, as the SDKs take them. Live streams take `symbols`, and channels as a list. */
function givenOf({ sdkName, places, query, body }: SnippetCall, streamName: (name: string) => string): Readonly<Record<string, unknown>> {
  const given = { ...places, ...query, ...body };
  if (!STREAM.test(sdkName)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (name === 'channels') return [name, typeof value === 'string' ? value.split(',') : value];
      return [name === 'symbol' ? 'symbols' : streamName(name), value];
    }),
  );
}
