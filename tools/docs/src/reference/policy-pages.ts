import { loadPolicy } from '@market-state/labeler';
import { DOCS, type Page } from '../site/page';
import { code, line, table } from './text';

interface TagValue {
  readonly value: string;
  readonly meaning: string;
}

interface TagGroup {
  readonly family: string;
  readonly horizon: string;
  readonly values?: readonly TagValue[];
}

const GROUP = 'Reference';
const FOLDER = `${DOCS}/reference/tags`;

export function tagPages(): Page[] {
  const { groups } = (loadPolicy().files as unknown as { readonly tags: { readonly groups: readonly TagGroup[] } }).tags;
  const families = [...new Set(groups.map(({ family }) => family))].map((family) => ({
    family,
    path: `${FOLDER}/${family.replaceAll('_', '-')}`,
    own: groups.filter((group) => group.family === family),
  }));
  const rows = families.map(({ family, path, own }) => [
    `[${code(family)}](${path})`,
    [...new Set(own.map(({ horizon }) => horizon))].join(', '),
    String(own.reduce((total, { values = [] }) => total + values.length, 0)),
  ]);
  const introduction =
    '# Tags\n\nA packet has tags that summarize its numbers, each with a family and a horizon. A tag states that a threshold is met; it is not a forecast. `events/search?tag=` finds packets by tag.';
  return [
    {
      path: FOLDER,
      title: 'Tags',
      description: 'Every family of packet tags, with the rule behind each value.',
      group: GROUP,
      source: null,
      markdown: `${introduction}\n\n${table(['Family', 'Horizons', 'Values'], rows)}`,
    },
    ...families.map(({ family, path, own }) => ({
      path,
      title: `Tags: ${family}`,
      description: `Tags of the family ${family} and their meanings.`,
      group: GROUP,
      source: null,
      unlisted: true,
      markdown: [
        `# ${family}`,
        ...own.flatMap(({ horizon, values = [] }) => [
          `## Horizon ${horizon}`,
          values.length === 0
            ? 'Its value comes from another field of the packet.'
            : table(
                ['Tag', 'Meaning'],
                values.map(({ value, meaning }) => [code(value), line(meaning)]),
              ),
        ]),
      ].join('\n\n'),
    })),
  ];
}
