import type { Data, Params, Schemas } from '@market-state/client';
import { counted, percent, stateWord, duration } from '@market-state/packet-figures';
import { useQuery } from '@tanstack/react-query';
import { type CSSProperties, useMemo } from 'react';
import { Link } from 'wouter';
import { Empty, Outline } from '../../conditions/placeholder';
import { ProblemNotice } from '../../conditions/problem-notice';
import { SourceRibbon } from '../../conditions/source-ribbon';
import { SpanChoice } from '../../controls/time-field';
import { read, service } from '../../service/client';
import { type Span, urlTime, useUrlSpan } from '../../service/url-state';
import styles from './stability.module.css';
import { stateLabel } from '../../packets/words';
import { StateMark } from '../../figures/state-mark';
import { WideTable } from '../../figures/wide-table';
import { matrixOf } from './matrix';

/** Rows: the state of a packet. Columns: the state of the one right after. The darker, the larger the share. */
function TransitionMatrix({ states }: { readonly states: readonly Schemas['StateStability'][] }) {
  const { columns, rows } = useMemo(() => matrixOf(states), [states]);
  return (
    <div className={styles['matrix']}>
      <WideTable label="Transition matrix">
        <thead>
          <tr>
            <th scope="col">From, to</th>
            {columns.map((state) => (
              <th key={state} scope="col">
                <StateMark state={state} /> {stateLabel(state)}
              </th>
            ))}
            <th scope="col" className={styles['number']}>
              Packets
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ from, total, cells }) => (
            <tr key={from}>
              <th scope="row">
                <StateMark state={from} /> {stateLabel(from)}
              </th>
              {cells.map((cell, index) => (
                <td
                  key={columns[index]}
                  data-stays={columns[index] === from}
                  style={{ '--share': cell === null ? '0%' : `${Math.round(45 * Math.sqrt(cell.share))}%` } as CSSProperties}
                  title={cell === null ? undefined : `${cell.total} of ${total}`}
                >
                  {cell === null ? <span className={styles['never']}>never</span> : percent(cell.share)}
                </td>
              ))}
              <td className={styles['number']}>{total}</td>
            </tr>
          ))}
        </tbody>
      </WideTable>
    </div>
  );
}

type State = Schemas['StateStability'];

/** Each state: its share, how long it lasts, how often it is left, how near thresholds it is, and what readers said of it. */
function StateTable({ states }: { readonly states: readonly State[] }) {
  return (
    <table className={styles['table']}>
      <caption className="visually-hidden">Published states, the most frequent first</caption>
      <thead>
        <tr>
          <th scope="col">State</th>
          {COLUMNS.map(([title]) => (
            <th key={title} scope="col" className={styles['number']}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {states.map((state) => (
          <tr key={state.state}>
            <th scope="row">
              <StateMark state={state.state} /> {stateLabel(state.state)}
            </th>
            {COLUMNS.map(([title, value]) => (
              <td key={title} data-column={title} className={styles['number']}>
                {value(state)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const COLUMNS: readonly (readonly [title: string, value: (state: State) => string])[] = [
  ['Share', ({ share }) => (share === null ? 'not reported' : percent(share))],
  ['Packets', ({ packet_total: total }) => total.toLocaleString('en-US')],
  ['Spells', ({ span_total: total }) => total.toLocaleString('en-US')],
  ['Dwell, median', ({ dwell_seconds: { median } }) => dwell(median)],
  ['Mean', ({ dwell_seconds: { mean } }) => dwell(mean)],
  ['Longest', ({ dwell_seconds: { longest } }) => dwell(longest)],
  ['Left, an hour', ({ flips_per_hour: perHour }) => (perHour === null ? 'not reported' : perHour.toFixed(1))],
  ['Near a threshold', ({ near_threshold_share: share }) => (share === null ? 'not reported' : percent(share))],
  ['Called useful', ({ feedback }) => agreementWords(feedback)],
];

/** A spell that the span or a missing packet cuts off has no whole duration. */
function dwell(seconds: number | null): string {
  return seconds === null ? 'none whole' : duration(seconds * 1_000);
}

function agreementWords({ agreement_share: share, feedback_total: total }: State['feedback']): string {
  return share === null ? 'no feedback' : `${percent(share)} of ${counted(total, 'judgement')}`;
}

/** The states of a span by their share of its packets, side by side. */
function ShareBar({ states }: { readonly states: readonly Schemas['StateStability'][] }) {
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
/** Bound of the service. */
const LONGEST_MS = 31 * DAY_MS;

const paramsOf = ({ symbol, fromMs, toMs }: Span) =>
  ({ symbol, from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }) satisfies Params<'getLabelStability'>;

export default function StabilityPage() {
  const [span, setSpan] = useUrlSpan(DAY_MS, 'BTCUSD-PERP');
  const stability = useQuery({
    queryKey: ['stability', span.symbol, span.fromMs, span.toMs],
    queryFn: ({ signal }) => read(service.labels.stability(paramsOf(span), { signal })),
    staleTime: Infinity,
  });
  const { data, error, isPending, refetch } = stability;
  return (
    <>
      <div className={styles['bar']}>
        <h1>Stability</h1>
        <span className={styles['soft']}>how steady are the published states?</span>
      </div>
      <SpanChoice
        span={span}
        onChoose={setSpan}
        longestMs={LONGEST_MS}
        action="Show"
        note={`costs ${counted(service.creditsAtMost('getLabelStability', paramsOf(span)) ?? 0, 'credit')} at most`}
      />
      {error === null ? null : <ProblemNotice error={error} retry={() => void refetch()} />}
      {isPending ? <Outline rows={10} label={`Loading the stability of ${span.symbol}`} /> : null}
      {data === undefined ? null : <Stability data={data} toMs={span.toMs} />}
    </>
  );
}

function Stability({ data, toMs }: { readonly data: Data<'getLabelStability'>; readonly toMs: number }) {
  const { states, symbol, meta } = data;
  if (states.length === 0)
    return (
      <Empty why={`${symbol} has no packet in this span.`}>
        Choose a longer or a later one: a packet comes every ten seconds while a feed runs.
      </Empty>
    );
  return (
    <>
      <SourceRibbon states={[meta.response_semantics.response_state]} />
      <dl className={styles['facts']}>
        {factsOf(data).map(([name, value, note]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {value} <span className={styles['soft']}>{note}</span>
            </dd>
          </div>
        ))}
      </dl>
      <p className={styles['note']}>
        <Link href={`/lab?symbol=${symbol}&at=${urlTime(toMs)}`}>Move the numbers of the policy</Link> over the last quarter of an hour of
        this span, and see what they would have made of it.
      </p>
      <div className={styles['panels']}>
        <section aria-label="Published states" className={styles['panel']}>
          <h2>
            Published states <span className={styles['soft']}>by their share of packets; no spell spans a window without one</span>
          </h2>
          <ShareBar states={states} />
          <StateTable states={states} />
        </section>
        <section aria-label="Transitions" className={styles['panel']}>
          <h2>
            What followed <span className={styles['soft']}>share of each state's packets by the state of the packet right after</span>
          </h2>
          <TransitionMatrix states={states} />
        </section>
      </div>
    </>
  );
}

function factsOf(data: Data<'getLabelStability'>): readonly (readonly [name: string, value: string, note: string])[] {
  const { packet_total: packets, pair_total: pairs, flip_total: flips, flips_per_hour: perHour, near_threshold_share: near } = data;
  return [
    ['packets', packets.toLocaleString('en-US'), `${pairs.toLocaleString('en-US')} followed directly by another`],
    ['changes of state', flips.toLocaleString('en-US'), perHour === null ? '' : `${perHour.toFixed(1)} an hour`],
    ['near a threshold', near === null ? 'not reported' : percent(near), 'of packets have a score within 10 % below one'],
  ];
}
