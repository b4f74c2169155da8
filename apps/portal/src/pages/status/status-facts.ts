import { whole } from '../../market/numbers';
import type { Data } from '@market-state/client';
import { duration, counted, words } from '@market-state/packet-figures';
import type { Readiness } from '../../service/use-readiness';
import type { Health } from './use-status';
import { marketWords } from '../../packets/market-name';

export type Accuracy = Data<'getAccuracy'>;
type AuditDay = Accuracy['rows'][number];

interface MeasureSum extends Pick<AuditDay, 'symbol' | 'venue' | 'measure' | 'compared_with'> {
  readonly comparedTotal: number;
  readonly differingTotal: number;
  readonly notComparedTotal: number;
  readonly reasons: readonly AuditDay['not_compared_reasons'][number][];
  readonly lastRunUtc: string;
}

export function sumByMeasure(days: readonly AuditDay[]): readonly MeasureSum[] {
  const byMeasure = new Map<string, AuditDay[]>();
  for (const day of days) {
    const key = `${day.symbol} ${day.venue} ${day.measure}`;
    byMeasure.set(key, [...(byMeasure.get(key) ?? []), day]);
  }
  return [...byMeasure.values()].flatMap((ofOne) => {
    const last = ofOne.at(-1);
    if (last === undefined) return [];
    const { symbol, venue, measure, compared_with } = last;
    return [
      {
        ...{ symbol, venue, measure, compared_with, lastRunUtc: last.last_run_utc },
        comparedTotal: sum(ofOne, 'compared_total'),
        differingTotal: sum(ofOne, 'differing_total'),
        notComparedTotal: sum(ofOne, 'not_compared_total'),
        reasons: [...new Set(ofOne.flatMap((day) => day.not_compared_reasons))],
      },
    ];
  });
}

export function accuracySentence(days: readonly AuditDay[]): string {
  const [compared, differing] = [sum(days, 'compared_total'), sum(days, 'differing_total')];
  if (compared === 0) return 'no values compared yet';
  const values = `${whole(compared)} values compared`;
  return differing === 0 ? `${values}, all equal` : `${values}, ${whole(differing)} differ`;
}

export function leftOutWords({ notComparedTotal, reasons }: Pick<MeasureSum, 'notComparedTotal' | 'reasons'>): string {
  return notComparedTotal === 0 ? 'none' : `${whole(notComparedTotal)}: ${reasons.map(words).join(', ')}`;
}

function sum(days: readonly AuditDay[], field: 'compared_total' | 'differing_total' | 'not_compared_total'): number {
  return days.reduce((total, day) => total + day[field], 0);
}

export type Day = Data<'getDataCondition'>['rows'][number];

export function daysByChannel(days: readonly Day[]): readonly (readonly [channel: string, days: readonly Day[]])[] {
  const channels = [...new Set(days.map(({ channel }) => channel))];
  return channels.map((channel) => [channel, days.filter((day) => day.channel === channel)]);
}

export function isReported(days: readonly Day[]): boolean {
  return days.some(({ reasons }) => !reasons.includes('channel_not_reported'));
}

export function channelSentence(days: readonly Day[]): string {
  if (!isReported(days)) return 'not reported by the venue';
  const total = (condition: Day['condition']): number => days.filter((day) => day.condition === condition).length;
  const over = days.length - total('pending');
  return [
    over === 0 ? '' : `${total('available')} of ${counted(over, 'day')} complete`,
    total('degraded') === 0 ? '' : `${total('degraded')} incomplete`,
    total('missing') === 0 ? '' : `${total('missing')} without rows`,
    total('pending') === 0 ? '' : `today ${observedWords(days.find(({ condition }) => condition === 'pending'))} so far`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** Rounded down, so that a day with a gap never reads as complete. */
export function observedWords(day: Pick<Day, 'completeness'> | undefined): string {
  const percent = Math.floor((day?.completeness ?? 0) * 10_000) / 100;
  return `${percent} %`;
}

export function dayTitle(day: Day): string {
  const why = day.reasons.length === 0 ? '' : `: ${day.reasons.map(words).join(', ')}`;
  return `${day.date}, ${day.condition}, ${observedWords(day)} observed${why}`;
}

export type Incident = Data<'listIncidents'>['rows'][number];
export type LatencyDay = Data<'getLatencyStatus'>['rows'][number];
export type Month = Data<'getSlaStatus'>['rows'][number];

export function openFirst(incidents: readonly Incident[]): readonly Incident[] {
  return incidents.toSorted((one, other) => Number(one.closed_utc !== null) - Number(other.closed_utc !== null));
}

export function lastedWords({ opened_utc: opened, closed_utc: closed }: Incident, asOfUtc: string): string {
  const words = duration(Date.parse(closed ?? asOfUtc) - Date.parse(opened));
  return closed === null ? `${words} so far` : words;
}

/** `99.98 %`: rounded down, so that an incomplete share never reads as 100 %. */
export function shareWords(share: number | null): string {
  return share === null ? 'none yet' : `${(Math.floor(share * 10_000) / 100).toFixed(2)} %`;
}

/** Median and 99th percentile, such as `12 and 41 ms`. */
export function stageWords({ p50_ms: half, p99_ms: most }: LatencyDay['closing_tick_to_packet']): string {
  if (half === null || most === null) return 'no packet';
  return `${whole(half)} and ${whole(most)} ms`;
}

export function incompleteWords(parts: Data<'listIncidents'>['incomplete']): string {
  if (parts.length === 0) return '';
  const kinds = parts.flatMap((part) => part.kinds).map((kind) => kind.replaceAll('_', ' '));
  return `This list is incomplete: it may lack ${kinds.join(', ')}, because a part of the service does not respond.`;
}

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
