import { loadPolicy } from '@market-state/labeler';
import { DOCS, type Page, readJson } from '../site/page';
import { openApi, resolve, type Schema } from './document';
import { code, table } from './text';

/** Versions that clients and packets depend on. */
export interface ReleaseFacts {
  readonly api: string;
  readonly packet: string;
  readonly policy_edition: number;
  readonly policy_digest: string;
}

const CLASSES = {
  additive: 'new fields, routes, enum values or programs: clients must ignore unknown ones',
  behaviour: 'same types, with different values or pages',
  breaking: 'clients may have to change; only with a new major version of the API or of the packet',
} as const;

export interface Release {
  /** Version in `proto/releases`, or `next` for unreleased changes. */
  readonly version: string;
  readonly date: string | null;
  readonly facts: ReleaseFacts;
  readonly changes: readonly { readonly class: keyof typeof CLASSES; readonly text: string }[];
}

export function factsOfWorkspace(): ReleaseFacts {
  const { files, digest } = loadPolicy();
  const packet = resolve<Schema>({ $ref: '#/components/schemas/Packet' });
  return {
    api: openApi.info.version,
    packet: String(packet.properties?.['packet_type']?.const),
    policy_edition: files.versions.labeling_policy_edition,
    policy_digest: digest,
  };
}

export function changelogFaults(releases: readonly Release[], recorded: readonly string[], now: ReleaseFacts): readonly string[] {
  const faults: string[] = [];
  const listed = releases.filter(({ version }) => version !== 'next').map(({ version }) => version);
  if (listed.join() !== recorded.toReversed().join())
    faults.push(`It lists ${listed.join(', ')}, but the recorded releases are ${recorded.join(', ')}.`);
  for (const [name, value] of Object.entries(now))
    if (releases[0]?.facts[name as keyof ReleaseFacts] !== value) faults.push(`Its newest entry lacks ${name} ${value}.`);
  for (const [at, { version, facts, changes }] of releases.entries()) {
    const before = releases[at + 1]?.facts;
    const has = (kind: keyof typeof CLASSES): boolean => changes.some((change) => change.class === kind);
    for (const { class: kind } of changes) if (!(kind in CLASSES)) faults.push(`${version} has a change of the unknown class ${kind}.`);
    if (before === undefined) continue;
    const isOther = before.policy_digest !== facts.policy_digest;
    if (isOther && !has('behaviour') && !has('breaking')) faults.push(`${version} has a different policy, but no change of behaviour.`);
    const isMajor = before.api.split('.')[0] !== facts.api.split('.')[0] || before.packet !== facts.packet;
    if (isMajor !== has('breaking')) faults.push(`${version} ${isMajor ? 'has another major version, but no' : 'has a'} breaking change.`);
  }
  return faults;
}

/** @throws Error naming every fault of the list */
export function changelogPage(): Page {
  const releases = readJson<readonly Release[]>('docs/site/changelog.json');
  const recorded = readJson<readonly { readonly version: string }[]>('proto/releases/releases.json').map(({ version }) => version);
  const faults = changelogFaults(releases, recorded, factsOfWorkspace());
  if (faults.length > 0) throw new Error(`docs/site/changelog.json: ${faults.join(' ')}`);
  const classes = table(
    ['class', 'meaning'],
    Object.entries(CLASSES).map(([name, meaning]) => [`**${name}**`, meaning]),
  );
  return {
    path: `${DOCS}/run/changelog`,
    title: 'Changelog',
    description: 'Changes in each release by class, and what stays the same.',
    group: 'Run it',
    source: null,
    markdown: [
      '# Changelog',
      'Every change has a class, and every release lists what is unchanged.',
      classes,
      ...releases.map((release, at) => sectionOf(release, releases[at + 1])),
    ].join('\n\n'),
  };
}

function sectionOf({ version, date, facts, changes }: Release, before: Release | undefined): string {
  const heading = version === 'next' ? '## Unreleased' : `## ${version}`;
  const order = Object.keys(CLASSES);
  const rows = changes.toSorted((a, b) => order.indexOf(a.class) - order.indexOf(b.class)).map((change) => [change.class, change.text]);
  const parts = [heading, ...(date === null ? [] : [`Released on ${date}.`]), table(['class', 'change'], rows)];
  return [...parts, before === undefined ? `It has ${listed(factWords(facts))}.` : unchanged(facts, before)].join('\n\n');
}

function unchanged(facts: ReleaseFacts, { version, facts: before }: Release): string {
  const [now, then] = [factWords(facts), factWords(before)];
  const same = now.filter((words, at) => words === then[at]);
  const other = now.flatMap((words, at) => (words === then[at] ? [] : [`${words}, after ${then[at] ?? ''}`]));
  const packets = facts.policy_digest === before.policy_digest ? ' The same events produce the same packets, byte for byte.' : '';
  return [
    ...(other.length === 0 ? [] : [`It has ${listed(other)}.`]),
    same.length === 0
      ? `API, packets and policy all differ from ${version}.`
      : `**Unchanged since ${version}**: ${listed(same)}.${packets}`,
  ].join('\n\n');
}

function factWords({ api, packet, policy_edition: edition, policy_digest: digest }: ReleaseFacts): readonly string[] {
  return [`version ${api} of the API`, `${code(packet)} packets`, `edition ${edition} of the labeling policy (digest ${code(digest)})`];
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}
