import { Facts } from '../../controls/facts';
import { lowerFirst, Table } from '../../controls/table';
import { counted, duration, words } from '@market-state/packet-figures';
import type { ReactNode } from 'react';
import sheet from '../../theme/sheet.module.css';
import type { Construction, Lanes } from './how-queries';
import styles from './how.module.css';
import { ContestBar } from '../../charts/contest-bar';
import { StateMark } from '../../charts/state-mark';
import { stateLabel } from '../../packets/words';

const stepAnchor = (stepId: string): string => `step-${stepId}`;

export function StepFlow({ steps }: { readonly steps: Construction['rows'] }) {
  return (
    <ol className={styles['flow']} aria-label="The six steps">
      {steps.map(({ construction_step_id: id, row_order: order, title, buyer_question: question }) => (
        <li key={id}>
          <a href={`#${stepAnchor(id)}`}>
            <b>
              {order}. {title}
            </b>
            <span>{question}</span>
          </a>
        </li>
      ))}
    </ol>
  );
}

interface StepSectionProps {
  readonly step: Construction['rows'][number] | undefined;
  readonly children: ReactNode;
}

export function StepSection({ step, children }: StepSectionProps) {
  if (step === undefined) return null;
  return (
    <section
      id={stepAnchor(step.construction_step_id)}
      className={`${sheet['panel'] ?? ''} ${styles['step'] ?? ''}`}
      aria-label={step.title}
    >
      <h2>
        {step.row_order}. {step.title} <span className={sheet['soft']}>{step.buyer_question}</span>
      </h2>
      <p>{step.buyer_answer}</p>
      {children}
    </section>
  );
}

export function LabelDecision({ construction }: { readonly construction: Construction }) {
  const { packet_input_to_label_trace: trace, confidence_lineage: confidence, sample_packet: packet } = construction;
  const { label_decision: decision } = trace;
  const against = packet.reason_details.filter(({ stance }) => stance === 'weighs_against');
  const rest = packet.reason_details.filter(({ stance }) => stance !== 'weighs_against');
  return (
    <div className={styles['halves']}>
      <div>
        <h3>State</h3>
        <p className={styles['state']}>
          <StateMark state={decision.published_state} /> <b>{decision.published_state_label}</b>
        </p>
        <ContestBar
          winner={decision.winner_state}
          runnerUp={decision.runner_up_state}
          labels={[stateLabel(decision.winner_state), stateLabel(decision.runner_up_state)]}
          margin={decision.state_margin}
        />
        <p className={sheet['soft']}>{decision.publication_meaning}</p>
        <h3>
          Confidence {confidence.score.toFixed(2)}, {confidence.label}
        </h3>
        <Facts
          className={styles['bars']}
          facts={confidence.terms.map(({ term, value }) => [
            words(term),
            <>
              <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                <rect className={styles['track']} width="100" height="8" />
                <rect width={100 * value} height="8" />
              </svg>
              <span>{value.toFixed(2)}</span>
            </>,
          ])}
        />
        <p className={sheet['soft']}>
          <code>{confidence.formula}</code>; {confidence.labels}.
        </p>
      </div>
      <div>
        <h3>Evidence for it</h3>
        <Claims claims={rest} />
        <h3>Counterevidence</h3>
        <Claims claims={against} />
        <h3>What would end it</h3>
        <ul>
          {packet.client_reason_summary.invalidation_conditions.map((condition) => (
            <li key={condition}>{condition}</li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function Claims({ claims }: { readonly claims: Construction['sample_packet']['reason_details'] }) {
  if (claims.length === 0) return <p className={sheet['soft']}>None in this packet.</p>;
  return (
    <ul>
      {claims.map(({ reason_id: id, claim }) => (
        <li key={id}>{claim}</li>
      ))}
    </ul>
  );
}

const LONGEST_MS = 10_000;

/** Logarithmic from 1 ms to 10 s, so that a 50 ms lane stays visible next to one of ten seconds. */
const widthOf = (ms: number): number => Math.min(100, Math.max(0, (100 * Math.log10(ms)) / Math.log10(LONGEST_MS)));

export function ComputeLanes({ lanes }: { readonly lanes: Lanes }) {
  return (
    <Table
      className={`${sheet['cards'] ?? ''} ${styles['lanes'] ?? ''}`}
      cardHead={(head) => lowerFirst(head.replace(/,.*/, ''))}
      rows={lanes.lanes}
      keyOf={({ lane_id: id }) => id}
      columns={[
        {
          head: 'Lane',
          cell: ({ lane_id: id }) => (
            <>
              {words(id)} {id === lanes.packet_producer_lane ? <span className={sheet['soft']}>makes the packet</span> : null}
            </>
          ),
        },
        { head: 'Horizon', cell: ({ horizon }) => words(horizon) },
        {
          head: 'Time limit, 1 ms to 10 s (logarithmic)',
          cell: ({ latency_budget_ms: budget }) => (
            <span className={styles['budget']}>
              <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                <rect width={widthOf(budget)} height="8" />
              </svg>
              <span>{budget.toLocaleString('en-US')} ms</span>
            </span>
          ),
        },
        { head: 'Newest packet waits for it', cell: ({ blocking_latest_route: isBlocking }) => (isBlocking ? 'yes' : 'no') },
        { head: 'As of', cell: ({ staleness_policy: policy }) => words(policy) },
      ]}
    />
  );
}

/** A channel that the source does not send has no bar, rather than one of zero length. */
export function WindowInputs({ input }: { readonly input: Construction['packet_input'] }) {
  const totals = Object.entries(input.window_event_totals);
  const most = Math.max(1, ...totals.map(([, total]) => total ?? 0));
  return (
    <>
      <Facts
        className={styles['bars']}
        facts={totals.map(([channel, total]) => [
          words(channel),
          total === null ? (
            <span className={sheet['soft']}>not reported by this source</span>
          ) : (
            <>
              <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                <rect width={(100 * total) / most} height="8" />
              </svg>
              <span>{counted(total, 'event')}</span>
            </>
          ),
        ])}
      />
      <p className={sheet['soft']}>
        {input.source_kind_meaning} The window is {counted(input.window_seconds, 'second')} of exchange time.
        {input.book_age_ms === null ? '' : ` The book was ${ageWords(input.book_age_ms)} old at its end.`}
      </p>
    </>
  );
}

const SECOND_MS = 1_000;
const ageWords = (ms: number): string => (ms < SECOND_MS ? `${ms} ms` : duration(ms));
