import { openApiDocument } from '../../../serving/openapi/document';
import { firstCallText } from './first-call';
import { type Operation, originals } from '../../../serving/openapi/operations';

const ACCESS = { none: 'no key', key: 'key', key_or_session: 'key or browser session' } as const;

function entry(operation: Operation, baseUrl: string): string {
  const { method, path, summary, description, credential, metered } = operation;
  const access = `${ACCESS[credential]}${metered ? ', metered' : ''}`;
  return `- [${method.toUpperCase()} ${path}](${baseUrl}${path}): ${summary} (${access}). ${description}`;
}

/** One paragraph of the document's text as one line. */
function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

/**
 * The guide at /llms.txt by its convention (a heading, a summary as a quotation, sections of links), made from the document: first call,
 * then every route that is served; of twins the originals.
 */
export function llmsText(baseUrl: string): string {
  const { info, tags } = openApiDocument;
  const [summary = '', ...details] = info.description
    .trim()
    .split(/\n\s*\n/)
    .map(oneLine);
  const sections = tags.flatMap(({ name, description }) => {
    const live = originals.filter((operation) => operation.tag === name);
    return live.length === 0
      ? []
      : [
          `## ${name}`,
          '',
          description,
          '',
          ...live.map((operation) => entry({ ...operation, description: oneLine(operation.description) }, baseUrl)),
          '',
        ];
  });
  return (
    [`# ${info.title}`, '', `> ${summary}`, '', ...firstCallText(baseUrl), ...details.flatMap((paragraph) => [paragraph, '']), ...sections]
      .join('\n')
      .trimEnd() + '\n'
  );
}
