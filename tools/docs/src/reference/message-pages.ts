import { DOCS, type Page } from '../site/page';
import { type Content, type Example, openApi, resolve } from './document';
import { fieldTable } from './fields';
import { code, jsonBlock, kebab, line, table } from './text';

const GROUP = 'Reference';
const FOLDER = `${DOCS}/reference/messages`;

/** A page for each kind of webhook message, and one that lists them. */
export function messagePages(): Page[] {
  const kinds = Object.entries(openApi.webhooks).map(([kind, { post }]) => ({ kind, post, path: `${FOLDER}/${kebab(kind)}` }));
  const rows = kinds.map(({ kind, post, path }) => [`[${code(kind)}](${path})`, line(post.summary)]);
  const introduction = `# Webhook messages\n\nWhat an endpoint can subscribe. How to receive and verify them: [webhooks](${DOCS}/guides/webhooks).`;
  return [
    {
      path: FOLDER,
      title: 'Webhook messages',
      description: 'Every kind of message that an endpoint can take.',
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
          '## What your answer does',
          table(['Status', 'Then'], answers),
        ].join('\n\n'),
      };
    }),
  ];
}
