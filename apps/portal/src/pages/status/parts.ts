import type { Health, Readiness } from './use-status';

/** One part of the service. */
export interface Part {
  readonly name: string;
  /** What it is there for. */
  readonly task: string;
  /** Null where nothing has been said of it. */
  readonly works: boolean | null;
  readonly latencyMs: number | null;
  /** What it says of itself; empty where it says nothing. */
  readonly detail: string;
}

/** Parts that hand on to the next stage. */
export interface Stage {
  readonly title: string;
  readonly parts: readonly Part[];
}

const MARKET = 'feed:';

const STAGES: readonly (readonly [title: string, parts: readonly (readonly [id: string, name: string, task: string])[]])[] = [
  [
    'Taken in',
    [
      ['feed', 'Feed', 'reads every market as it comes'],
      ['event_log', 'Event log', 'keeps each event in its order'],
    ],
  ],
  [
    'Recorded and labeled',
    [
      ['recorder', 'Recorder', 'writes rows, and hours of the archive'],
      ['labeling', 'Labeling', 'makes and signs a packet every ten seconds'],
    ],
  ],
  [
    'Kept and read',
    [
      ['postgres', 'Database', 'rows and packets of the last days'],
      ['data_plane', 'Data plane', 'answers for rows, replays and gaps'],
      ['account', 'Accounts', 'keys, credits and receipts'],
    ],
  ],
];

/** Where markets come in, through which parts their events pass, and what serves them, in that order. */
export function stagesOf(health: Health | undefined, readiness: Readiness | undefined): readonly Stage[] {
  const components = new Map((health?.components ?? []).map((each) => [each.component, each]));
  const partOf = (id: string, name: string, task: string): Part => {
    const said = components.get(id);
    return { name, task, works: said?.healthy ?? null, latencyMs: said?.latency_ms ?? null, detail: said?.detail ?? '' };
  };
  const known = new Set(STAGES.flatMap(([, parts]) => parts.map(([id]) => id)));
  const others = [...components.keys()].filter((id) => !known.has(id) && !id.startsWith(MARKET));
  const markets = [...components.keys()].filter((id) => id.startsWith(MARKET));
  const needs = (readiness?.dependencies ?? []).map(
    ({ name, ready, detail }): Part => ({
      name: NEEDS[name] ?? name.replaceAll('_', ' '),
      task: '',
      works: ready,
      latencyMs: null,
      detail,
    }),
  );
  return [
    { title: 'Markets', parts: markets.map((id) => partOf(id, id.slice(MARKET.length), 'events come in')) },
    ...STAGES.map(([title, parts]) => ({ title, parts: parts.map(([id, name, task]) => partOf(id, name, task)) })),
    { title: 'Served by this gateway', parts: [...others.map((id) => partOf(id, id.replaceAll('_', ' '), '')), ...needs] },
  ];
}

const NEEDS: Readonly<Record<string, string>> = {
  account: 'Keys can be checked',
  labeling: 'Packets are pushed',
  packets: 'Packets are fresh',
  data_plane: 'Rows can be read',
};

/** Parts that do not work. */
export function faultsOf(stages: readonly Stage[]): readonly Part[] {
  return stages.flatMap(({ parts }) => parts.filter(({ works }) => works === false));
}
