import { PROBLEMS } from '@market-state/errors';
import { DOCS, type Page } from '../site/page';
import { type Example, openApi, operations, resolve, type Answer, type NamedOperation } from './document';
import { code, jsonBlock, line, table, operationPath, errorPath } from './text';

export function errorsOf(
  operation: NamedOperation,
): readonly { readonly status: string; readonly codes: readonly string[]; readonly description: string }[] {
  return Object.entries(operation.responses).flatMap(([status, response]) => {
    const answer = resolve<Answer>(response);
    const examples = answer.content?.['application/problem+json']?.examples;
    const values = Object.values(examples ?? {}).map(
      (example) => resolve<Example>(example).value as { readonly code?: string } | undefined,
    );
    const codes = [...new Set(values.flatMap((value) => value?.code ?? []))];
    return codes.length === 0 ? [] : [{ status, codes, description: answer.description }];
  });
}

interface ProblemValue {
  readonly code?: string;
}

const GROUP = 'Reference';

/** Above this number a page states only the count of operations. */
const NAMED_MAX = 12;

export function errorPages(): Page[] {
  const examples = examplesByCode();
  const codes = Object.entries(PROBLEMS).map(([name, text]) => ({ name, text, example: examples.get(name), ...text }));
  const byStatus = codes.toSorted((one, other) => one.status - other.status);
  const rows = byStatus.map(({ name, status, text }) => [String(status), `[${code(name)}](${errorPath(name)})`, line(text.means)]);
  return [
    {
      path: `${DOCS}/errors`,
      title: 'Errors',
      description: 'Every error code, its meaning and how to handle it.',
      group: GROUP,
      source: null,
      markdown: `${INTRODUCTION}\n\n${table(['Status', 'Code', 'Meaning'], rows)}`,
    },
    ...codes.map(({ name, text, example, status, title }) => ({
      path: errorPath(name),
      title: `${title} (${name})`,
      description: text.means,
      group: GROUP,
      source: null,
      unlisted: true,
      markdown: [
        `# ${title}`,
        `${code(name)}, status ${status}`,
        text.means,
        '## What to do',
        text.todo,
        ...(example === undefined ? [] : ['## Example', jsonBlock(example)]),
        ...whoGives(name),
      ].join('\n\n'),
    })),
  ];
}

const INTRODUCTION = `# Errors

Every error is \`application/problem+json\` with a stable \`code\`, a message in \`detail\`, the \`request_id\` that is also in the operator's log, and the address of its page here in \`docs\`. The meaning of a code never changes. Errors are never charged.

Invalid input is 422. \`detail\` is then a list with one item per error, at most 50: \`loc\` is the place, \`msg\` the error. \`fault_total\` is the number of errors.

Retry only after 429, 503 and 504, once \`Retry-After\` seconds have passed, and with the same \`Idempotency-Key\` if the call writes. The [SDKs](/docs/clients/typescript) do this.`;

function examplesByCode(): ReadonlyMap<string, ProblemValue> {
  const found = new Map<string, ProblemValue>();
  for (const operation of operations)
    for (const response of Object.values(operation.responses)) {
      const { content } = resolve<{
        readonly content?: Readonly<Record<string, { readonly examples?: Readonly<Record<string, Example>> }>>;
      }>(response);
      for (const example of Object.values(content?.['application/problem+json']?.examples ?? {})) {
        const value = resolve<Example>(example).value as ProblemValue;
        if (value.code !== undefined && !found.has(value.code)) found.set(value.code, value);
      }
    }
  return found;
}

function whoGives(name: string): string[] {
  const own = operations.filter((operation) => errorsOf(operation).some(({ codes }) => codes.includes(name)));
  if (own.length === 0) return [];
  if (own.length > NAMED_MAX)
    return [
      '## Where',
      `${own.length} of ${operations.length} [operations](${DOCS}/reference/operations) of ${openApi.info.title} can return it.`,
    ];
  return ['## Where', own.map(({ operationId, summary }) => `- [${line(summary)}](${operationPath(operationId)})`).join('\n')];
}
