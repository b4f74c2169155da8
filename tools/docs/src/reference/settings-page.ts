import { DOCS, type LinkTargets, type Page, readText } from '../site/page';

/** Files that describe settings, and the services they belong to. */
const SOURCES = [
  { of: 'Gateway', file: 'docs/gateway/settings.md' },
  { of: 'Feed', file: 'docs/data-plane/feed.md' },
  { of: 'Archive of rows', file: 'docs/data-plane/archive.md' },
  { of: 'Data plane', file: 'apps/data-plane/README.md' },
  { of: 'Labeling', file: 'apps/labeling/README.md' },
  { of: 'Account', file: 'apps/account/README.md' },
  { of: 'Exports', file: 'apps/export/README.md' },
  { of: 'Webhooks', file: 'apps/webhook/README.md' },
] as const;

/** One page with the settings of every service, from the tables in their documents. */
export function settingsPage(links: LinkTargets): Page {
  const sections = SOURCES.map(({ of, file }) => {
    const tables = settingTables(readText(file));
    if (tables.length === 0) throw new Error(`${file} has no table of settings.`);
    return [`## ${of}`, ...tables.map((table) => links.absolute(table, file))].join('\n\n');
  });
  const introduction =
    '# Settings\n\nEvery setting is an environment variable, read once at start. All invalid settings are reported together, by name. `npm start` and the manifests provide the required ones.';
  return {
    path: `${DOCS}/run/settings`,
    title: 'Settings',
    description: 'Every environment variable of every service.',
    group: 'Run it',
    source: null,
    markdown: [introduction, ...sections].join('\n\n'),
  };
}

/** Tables whose first row starts with an environment variable. */
function settingTables(text: string): string[] {
  return [...text.matchAll(/^\|.*\n\|[-| ]+\n\| `[A-Z][A-Z0-9_]+`.*\n(?:\|.*\n?)*/gm)].map(([table]) => table.trimEnd());
}
