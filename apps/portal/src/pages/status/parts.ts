import type { Readiness } from '../../service/use-readiness';
import type { Health } from './use-status';
import { marketWords } from '../../packets/market-name';

export interface Part {
  readonly name: string;
  readonly task: string;
  /** Null if its state is unknown. */
  readonly works: boolean | null;
  readonly latencyMs: number | null;
  readonly detail: string;
}

export interface Stage {
  readonly title: string;
  readonly parts: readonly Part[];
}

const MARKET = 'feed:';

const STAGES: readonly (readonly [title: string, parts: readonly (readonly [id: string, name: string, task: string])[]])[] = [
  [
    'Ingestion',
    [
      ['feed', 'Feed', 'reads every market in real time'],
      ['event_log', 'Event log', 'stores every event in order'],
    ],
  ],
  [
    'Recording and labeling',
    [
      ['recorder', 'Recorder', 'writes rows and hourly archives'],
      ['labeling', 'Labeling', 'makes and signs a packet every ten seconds'],
    ],
  ],
  [
    'Storage and queries',
    [
      ['postgres', 'Database', 'rows and packets of recent days'],
      ['data_plane', 'Data plane', 'serves rows, replays and gaps'],
      ['account', 'Accounts', 'keys, credits and receipts'],
    ],
  ],
];

/** In the order in which events pass the parts. */
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
    { title: 'Markets', parts: markets.map((id) => partOf(id, marketWords(id.slice(MARKET.length)), 'sends events')) },
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

export function faultsOf(stages: readonly Stage[]): readonly Part[] {
  return stages.flatMap(({ parts }) => parts.filter(({ works }) => works === false));
}
