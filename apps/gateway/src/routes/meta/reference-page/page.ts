import { openApiDocument } from '../../../serving/openapi/document';
import { firstCallHtml } from './first-call';
import { pageFiles } from '../../../serving/pages/page-files';

function fileEnding(ending: string): string {
  const name = pageFiles().find((file) => file.name.endsWith(ending))?.name;
  if (name === undefined) throw new Error(`the page has no ${ending}`);
  return `docs/assets/${name}`;
}

const { title } = openApiDocument.info;

/** The page at /docs: the document of this service in a viewer. Addresses are relative, so that it works below a path too. */
export function pageHtml(baseUrl: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}: reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${fileEnding('.css')}">
<script type="module" src="${fileEnding('.js')}"></script>
</head>
<body>
<header><strong>${title}</strong><nav aria-label="Other forms of this reference"><a href="openapi.json">OpenAPI document</a><a href="llms.txt">llms.txt</a></nav></header>
${firstCallHtml(baseUrl)}
<openapi-explorer spec-url="openapi.json" primary-color="#0b6bab" secondary-color="#0b6bab" bg-color="#ffffff" text-color="#1b2733" nav-bg-color="#f4f7fa" nav-text-color="#24384a" nav-hover-bg-color="#e3ecf3" nav-hover-text-color="#0b4f7d" hide-server-selection hide-components schema-expand-level="2"></openapi-explorer>
<noscript><p class="plain">The reference is drawn by a script of this server. Without scripts, read the <a href="openapi.json">OpenAPI document</a> or <a href="llms.txt">llms.txt</a>.</p></noscript>
</body>
</html>
`;
}
