import { useRead, service } from '../../service/client';
import { whole } from '../../market/numbers';
import { Loaded, Empty } from '../../status-components/conditions';
import { Facts } from '../../controls/facts';
import { Table } from '../../controls/table';
import type { Data, Params, Schemas } from '@market-state/client';
import { counted, percent, stateWord, duration } from '@market-state/packet-figures';
import { type CSSProperties, useMemo } from 'react';
import { Link } from 'wouter';
import { SourceRibbon } from '../../status-components/source-ribbon';
import { OpeningCost } from '../../controls/opening-cost';
import { SpanChoice } from '../../controls/time-field';
import { type Span, urlTime, useUrlSpan } from '../../service/url-state';
import { marketWords } from '../../packets/market-name';
import styles from './stability.module.css';
import { stateLabel } from '../../packets/words';
import { StateName } from '../../charts/state-mark';
import { matrixOf } from './matrix';

type Row = ReturnType<typeof matrixOf>['rows'][number];

function shareOf(cell: Row['cells'][number] | undefined) {
  return cell ? percent(cell.share) : <span className={styles['never']}>never</span>;
}

function TransitionMatrix({ states }: { readonly states: readonly Stability[] }) {
  const { columns, rows } = useMemo(() => matrixOf(states), [states]);
  return (
    <div className={styles['matrix']}>
      <Table
        scroll="Transition matrix"
        rows={rows}
        keyOf={({ from }) => from}
        columns={[
          { head: 'From / to', cell: ({ from }) => <StateName state={from} /> },
          ...columns.map((state, index) => ({
            head: <StateName state={state} />,
            cell: ({ cells }: Row) => shareOf(cells[index]),
            cellProps: ({ from, total, cells }: Row) => ({
              'data-stays': state === from,
              style: { '--share': `${Math.round(45 * Math.sqrt(cells[index]?.share ?? 0))}%` } as CSSProperties,
              title: cells[index] ? `${cells[index].total} of ${total}` : undefined,
            }),
          })),
          { head: 'Packets', cell: ({ total }) => total, className: styles['number'] },
        ]}
      />
    </div>
  );
}

type Stability = Schemas['StateStability'];

function StateTable({ states }: { readonly states: readonly Stability[] }) {
  return (
    <Table
      className={styles['table']}
      caption="Published states, the most frequent first"
      rows={states}
      keyOf={(state) => state.state}
      columns={[
        { head: 'State', cell: ({ state }) => <StateName state={state} /> },
        ...COLUMNS.map(([head, cell]) => ({ head, cell, className: styles['number'] })),
      ]}
    />
  );
}

const COLUMNS: readonly (readonly [title: string, value: (state: Stability) => string])[] = [
  ['Share', ({ share }) => (share === null ? 'not reported' : percent(share))],
  ['Packets', ({ packet_total: total }) => whole(total)],
  ['Runs', ({ span_total: total }) => whole(total)],
  ['Median duration', ({ dwell_seconds: { median } }) => dwell(median)],
  ['Mean', ({ dwell_seconds: { mean } }) => dwell(mean)],
  ['Longest', ({ dwell_seconds: { longest } }) => dwell(longest)],
  ['Exits per hour', ({ flips_per_hour: perHour }) => (perHour === null ? 'not reported' : perHour.toFixed(1))],
  ['Near a threshold', ({ near_threshold_share: share }) => (share === null ? 'not reported' : percent(share))],
  ['Rated useful', ({ feedback }) => agreementWords(feedback)],
];

/** Runs cut off by the span or by a missing packet have no complete duration. */
function dwell(seconds: number | null): string {
  return seconds === null ? 'no complete run' : duration(seconds * 1_000);
}

function agreementWords({ agreement_share: share, feedback_total: total }: Stability['feedback']): string {
  return share === null ? 'no feedback' : `${percent(share)} of ${counted(total, 'rating')}`;
}

function ShareBar({ states }: { readonly states: readonly Stability[] }) {
  const words = states.map(({ state, share }) => `${stateLabel(state)} ${percent(share ?? 0)}`);
  return (
    <div className={styles['shares']} role="img" aria-label={`Shares: ${words.join(', ')}.`}>
      {states.map(({ state, share }, index) => (
        <i key={state} className={`state-${stateWord(state)}`} style={{ flexGrow: share ?? 0 }} title={words[index]} />
      ))}
    </div>
  );
}

const DAY_MS = 86_400_000;
/** Limit of the service. */
const LONGEST_MS = 31 * DAY_MS;

const paramsOf = ({ symbol, fromMs, toMs }: Span) =>
  ({ symbol, from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }) satisfies Params<'getLabelStability'>;

export default function StabilityPage() {
  const [span, setSpan] = useUrlSpan(DAY_MS, 'BTCUSD-PERP');
  const stability = useRead(
    ['stability', span.symbol, span.fromMs, span.toMs],
    (options) => service.labels.stability(paramsOf(span), options),
    { staleTime: Infinity },
  );
  return (
    <>
      <div className={styles['bar']}>
        <h1>Stability</h1>
        <span className={styles['soft']}>how stable are the published states?</span>
        <OpeningCost credits={service.creditsAtMost('getLabelStability', paramsOf(span)) ?? 0} />
      </div>
      <SpanChoice span={span} onChoose={setSpan} longestMs={LONGEST_MS} action="Show" />
      <Loaded query={stability} rows={10} label={`Loading the stability of ${marketWords(span.symbol)}`}>
        {(data) => <StabilityView data={data} symbol={span.symbol} toMs={span.toMs} />}
      </Loaded>
    </>
  );
}

interface StabilityProps {
  readonly data: Data<'getLabelStability'>;
  readonly symbol: string;
  readonly toMs: number;
}

function StabilityView({ data, symbol, toMs }: StabilityProps) {
  const { states, meta, validity } = data;
  if (states.length === 0)
    return (
      <Empty why={`${marketWords(symbol)} has no packets in this span.`}>
        Choose a longer or later span. A packet is made every ten seconds while a feed runs.
      </Empty>
    );
  return (
    <>
      <SourceRibbon states={[meta.response_semantics.response_state]} />
      <Facts
        className={styles['facts']}
        facts={factsOf(data).map(([name, value, note]) => [
          name,
          <>
            {value} <span className={styles['soft']}>{note}</span>
          </>,
        ])}
      />
      <p className={styles['note']}>
        <Link href={`/lab?symbol=${symbol}&at=${urlTime(toMs)}`}>Try other policy numbers</Link> on the last 15 minutes of this span to see
        how the labels would change.
      </p>
      <div className={styles['panels']}>
        <section aria-label="Published states" className={styles['panel']}>
          <h2>
            Published states <span className={styles['soft']}>by share of packets; a run ends where a packet is missing</span>
          </h2>
          <ShareBar states={states} />
          <StateTable states={states} />
        </section>
        <section aria-label="Transitions" className={styles['panel']}>
          <h2>
            Transitions <span className={styles['soft']}>share of each state's packets by the state of the next packet</span>
          </h2>
          <TransitionMatrix states={states} />
        </section>
        {validity === undefined ? null : (
          <section aria-label="Severity and the next minute" className={styles['panel']}>
            <h2>
              Severity and the next minute{' '}
              <span className={styles['soft']}>against the volatility after each packet, with 90 % intervals</span>
            </h2>
            <ValidityTable validity={validity} />
          </section>
        )}
      </div>
    </>
  );
}

function factsOf(data: Data<'getLabelStability'>): readonly (readonly [name: string, value: string, note: string])[] {
  const { packet_total: packets, pair_total: pairs, flip_total: flips, flips_per_hour: perHour, near_threshold_share: near } = data;
  return [
    ['packets', whole(packets), `${whole(pairs)} directly followed by another`],
    ['state changes', whole(flips), perHour === null ? '' : `${perHour.toFixed(1)} per hour`],
    ['near a threshold', near === null ? 'not reported' : percent(near), 'of packets have a score at most 10 % below a threshold'],
  ];
}

type Severity = Schemas['SeverityValidity'];
type Estimate = Schemas['LabelEstimate'];

const SOURCES = [
  ['Severity', 'severity'],
  ['Volatility of the last 60 s', 'last_60s'],
  ['Volatility of the last 300 s', 'last_300s'],
  ['Both', 'last_60s_and_300s'],
  ['HAR forecast', 'har'],
] as const;

/** Severity next to forecasts of the next minute's volatility that need no labels. */
function ValidityTable({ validity }: { readonly validity: Schemas['LabelValidity'] }) {
  const severity = validity.severity_with_har ?? validity.severity;
  if (severity === null)
    return (
      <p className={styles['note']}>Fewer than 30 packets have five minutes before them and one after: too few to compare labels with.</p>
    );
  return (
    <>
      <Table
        className={styles['table']}
        caption="Severity and simple forecasts against the next minute"
        rows={SOURCES}
        keyOf={([, source]) => source}
        columns={[
          { head: 'Forecast', cell: ([name]) => name },
          { head: 'Rank correlation', cell: ([, source]) => withInterval(severity.rank_correlations[source]), className: styles['number'] },
          { head: 'Wildest tenth found', cell: ([, source]) => shareFound(severity, source), className: styles['number'] },
        ]}
      />
      <p className={styles['note']}>{sentence(severity)}</p>
    </>
  );
}

function shareFound({ alarm_of_share: alarm }: Severity, source: (typeof SOURCES)[number][1]): string {
  const share = alarm?.[source] ?? null;
  return share === null ? 'not measured' : percent(share);
}

function sentence({ packet_total: packets, half_hour_total: halfHours, ...severity }: Severity): string {
  const given = `Given the last 60 s and 300 s, severity adds ${withInterval(severity.partial_given_last)} (0 is nothing)`;
  const few = halfHours < 10 ? '; with fewer than ten half hours, intervals are too narrow' : '';
  return `${given}. Each forecast selects 13 % of ${whole(packets)} packets in ${halfHours} half hours${few}.`;
}

function withInterval(estimate: Estimate | null): string {
  if (estimate === null) return 'not measured';
  const { value, low, high } = estimate;
  return low === null || high === null ? signed(value) : `${signed(value)} [${signed(low)}, ${signed(high)}]`;
}

function signed(value: number): string {
  return value.toFixed(2).replace('-', '−');
}
