import { DOCS, type Page } from '../site/page';
import { type Content, type Example, openApi, resolve, type Schema } from './document';
import { code, jsonBlock, kebab, line, table, formOf } from './text';

/** Maximum rows of a field table; the rest is in the OpenAPI document. */
const ROWS_MAX = 60;
const LEVELS_MAX = 3;

interface Field {
  readonly name: string;
  readonly schema: Schema;
}

function partsOf(schema: Schema): readonly Schema[] {
  const whole = resolve<Schema>(schema);
  return [whole, ...[...(whole.allOf ?? []), ...(whole.anyOf ?? []), ...(whole.oneOf ?? [])].flatMap(partsOf)];
}

/** Fields of a schema, its parts and nested objects; a name shared by several parts is listed once. */
function fieldsOf(schema: Schema, before: string, levels: number): Field[] {
  if (levels === 0) return [];
  const own = new Map<string, Schema>();
  for (const part of partsOf(schema))
    for (const [name, each] of Object.entries(part.properties ?? {})) if (!own.has(name)) own.set(name, each);
  return [...own].flatMap(([name, each]) => {
    const whole = resolve<Schema>(each);
    const inner = whole.items === undefined ? whole : whole.items;
    const path = `${before}${name}${whole.items === undefined ? '' : '[]'}`;
    const described = { ...whole, description: each.description ?? whole.description };
    return [{ name: path, schema: described }, ...fieldsOf(inner, `${path}.`, levels - 1)];
  });
}

/** Table of a body's fields to a readable depth, with the number of omitted ones. */
export function fieldTable(schema: Schema): string {
  const fields = [1, 2, 3].slice(0, LEVELS_MAX).map((levels) => fieldsOf(schema, '', levels));
  const shown = fields.findLast((each) => each.length <= ROWS_MAX) ?? fields[0] ?? [];
  const total = fields.at(-1)?.length ?? 0;
  const rows = shown.map(({ name, schema: each }) => [code(name), line(formOf(each)), line(each.description ?? '')]);
  const more =
    total > shown.length
      ? `\n\n${(total - shown.length).toLocaleString('en')} nested fields are described in the [OpenAPI document](/openapi.json).`
      : '';
  return shown.length === 0 ? '' : `${table(['Field', 'Type', 'Meaning'], rows)}${more}`;
}

const GROUP = 'Reference';
const FOLDER = `${DOCS}/reference/messages`;

export function messagePages(): Page[] {
  const kinds = Object.entries(openApi.webhooks).map(([kind, { post }]) => ({ kind, post, path: `${FOLDER}/${kebab(kind)}` }));
  const rows = kinds.map(({ kind, post, path }) => [`[${code(kind)}](${path})`, line(post.summary)]);
  const introduction = `# Webhook messages\n\nThe messages that an endpoint can subscribe to. To receive and verify them, see [webhooks](${DOCS}/guides/webhooks).`;
  return [
    {
      path: FOLDER,
      title: 'Webhook messages',
      description: 'Every kind of message of an endpoint.',
      group: GROUP,
      source: null,
      markdown: `${introduction}\n\n${table(['Kind', 'Sent when'], rows)}`,
    },
    ...kinds.map(({ kind, post, path }) => {
      const content = Object.values(post.requestBody?.content ?? {})[0] as Content;
      const examples = Object.values(content.examples ?? {}).map((example) => jsonBlock(resolve<Example>(example).value));
      const answers = Object.entries(post.responses).map(([status, answer]) => [
        status,
        line(resolve<{ readonly description: string }>(answer as { readonly description: string }).description),
      ]);
      return {
        path,
        title: kind,
        description: post.summary,
        group: GROUP,
        source: null,
        unlisted: true,
        markdown: [
          `# ${kind}`,
          line(post.summary),
          line(post.description),
          '## Example',
          ...examples,
          '## Fields',
          fieldTable(content.schema ?? {}),
          '## Your response',
          table(['Status', 'Effect'], answers),
        ].join('\n\n'),
      };
    }),
  ];
}
