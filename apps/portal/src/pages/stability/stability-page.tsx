import type { Data, Params } from '@market-state/client';
import { counted, percent } from '@market-state/packet-figures';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Empty } from '../../conditions/empty';
import { Outline } from '../../conditions/outline';
import { ProblemNotice } from '../../conditions/problem-notice';
import { SourceRibbon } from '../../conditions/source-ribbon';
import { SpanChoice } from '../../controls/span-choice';
import { read, service } from '../../service/client';
import { type Span, urlTime, useUrlSpan } from '../../service/url-span';
import { ShareBar } from './share-bar';
import styles from './stability.module.css';
import { StateTable } from './state-table';
import { TransitionMatrix } from './transition-matrix';

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
