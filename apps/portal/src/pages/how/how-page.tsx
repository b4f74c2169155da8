import { whole } from '../../market/numbers';
import { Loaded, AnswerSection } from '../../status-components/conditions';
import { Choice } from '../../controls/choice';
import { Facts } from '../../controls/facts';
import { words, counted, duration } from '@market-state/packet-figures';
import { Link } from 'wouter';
import { SourceRibbon } from '../../status-components/source-ribbon';
import { PAGES } from '../../pages';
import { usePublicSymbols } from '../../proofs/proof-queries';
import { urlText, useUrlState } from '../../service/url-state';
import { marketNamed, marketWords, venueWords } from '../../packets/market-name';
import sheet from '../../theme/sheet.module.css';
import { clockSpan } from '../../time/clock';
import { FeatureScales, TaxonomyTerms } from './policy-sections';
import { type Construction, useConstructionOf, useLanes, usePolicy, useTaxonomy, type Policy, type Lanes } from './how-queries';
import styles from './how.module.css';
import { thresholdsOf } from './policy-documents';
import { CopyButton } from '../../controls/buttons';
import { lowerFirst, Table } from '../../controls/table';
import type { ReactNode } from 'react';
import { ContestBar } from '../../charts/bars';
import { StateMark } from '../../charts/state-mark';
import { stateLabel } from '../../packets/words';

const stepAnchor = (stepId: string): string => `step-${stepId}`;

function StepFlow({ steps }: { readonly steps: Construction['rows'] }) {
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

function StepSection({ step, children }: { readonly step: Construction['rows'][number] | undefined; readonly children: ReactNode }) {
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

function LabelDecision({ construction }: { readonly construction: Construction }) {
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

function ComputeLanes({ lanes }: { readonly lanes: Lanes }) {
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
              <span>{whole(budget)} ms</span>
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
function WindowInputs({ input }: { readonly input: Construction['packet_input'] }) {
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

function PolicyFacts({ policy }: { readonly policy: Policy }) {
  return (
    <>
      <p>
        The complete policy is published: {counted(policy.file_total, 'file')}, digest <code>{policy.policy_digest}</code>. Each packet
        names the digest of the policy that labeled it.
      </p>
      <p className={sheet['soft']}>
        {policy.digest_rule} <a href="/api/public/market-state/demo/labeling-policy">View the files as JSON</a>
      </p>
      <details>
        <summary>Versions</summary>
        <Facts
          className={styles['versions']}
          facts={Object.entries(policy.policy_versions).map(([name, version]) => [words(name), <code>{version}</code>])}
        />
      </details>
    </>
  );
}

function MeasuredClaims({ claims }: { readonly claims: Construction['measured_claims'] }) {
  return (
    <div className={styles['halves']}>
      <div>
        <h3>Counted</h3>
        <ul className={styles['claims']}>
          {claims.included_for_preview.map(({ claim_id: id, statement, value, of }) => (
            <li key={id}>
              {statement}
              {of === null || of === 0 ? null : (
                <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
                  <rect className={styles['track']} width="100" height="6" />
                  <rect width={(100 * value) / of} height="6" />
                </svg>
              )}
            </li>
          ))}
        </ul>
      </div>
      <div>
        <h3>Not promised</h3>
        <ul className={styles['claims']}>
          {claims.requires_later_sla.map(({ claim_id: id, statement }) => (
            <li key={id}>{statement}</li>
          ))}
        </ul>
        <p className={sheet['soft']}>A packet is context: not a signal, advice, an order or a performance claim.</p>
      </div>
    </div>
  );
}

interface Call {
  readonly purpose: string;
  readonly command: string;
  readonly requires_api_key: boolean;
}

function FirstCalls({ step }: { readonly step: Construction['rows'][number] }) {
  const { calls = [] } = step.packet_view as { calls?: readonly Call[] };
  return (
    <ol className={styles['calls']}>
      {calls.map(({ purpose, command, requires_api_key: needsKey }) => (
        <li key={command}>
          <p>
            {purpose} <span className={sheet['soft']}>{needsKey ? 'needs the key' : 'needs no key'}</span>
          </p>
          <pre>
            <code>{command}</code>
          </pre>
          <CopyButton text={command} label="Copy" />
        </li>
      ))}
    </ol>
  );
}

export default function HowPage() {
  const [symbol, setSymbol] = useUrlState('symbol', urlText);
  const symbols = usePublicSymbols().data ?? [];
  const construction = useConstructionOf(symbol);
  const shown = symbol === '' ? ((construction.data && marketNamed(construction.data).symbol) ?? '') : symbol;
  return (
    <>
      <div className={sheet['bar']}>
        <h1>How a packet is made</h1>
        <Choice className={sheet['push']} label="One of" value={shown} options={symbols} say={marketWords} onChoose={setSymbol} />
      </div>
      <Loaded query={construction} rows={12} label="Loading an example packet">
        {(data) => <Steps construction={data} />}
      </Loaded>
      <Published />
    </>
  );
}

function Steps({ construction }: { readonly construction: Construction }) {
  const policy = usePolicy();
  const taxonomy = useTaxonomy();
  const { rows, packet_input: input, sample_packet: packet, sample_rule: rule, packet_schema: fields, meta } = construction;
  const step = (id: Construction['rows'][number]['construction_step_id']) => rows.find(({ construction_step_id: each }) => each === id);
  const firstCalls = step('sdk_first_integration');
  return (
    <>
      <SourceRibbon states={[meta.response_semantics.response_state]} />
      <p className={sheet['note']}>
        <b>{packet.state_label}</b> of {marketWords(marketNamed(construction).symbol)}, window of{' '}
        {clockSpan(input.window_start_utc, input.window_end_utc)}, {venueWords(input.venue)}, {words(input.source_kind)}. {rule}
      </p>
      <StepFlow steps={rows} />
      <div className={`${sheet['panels'] ?? ''} ${styles['steps'] ?? ''}`}>
        <StepSection step={step('packet_input')}>
          <WindowInputs input={input} />
        </StepSection>
        <StepSection step={step('derive_features')}>
          <FeatureScales
            construction={construction}
            thresholds={policy.data === undefined ? new Map() : thresholdsOf(policy.data)}
            tags={taxonomy.data?.tags ?? []}
          />
        </StepSection>
        <StepSection step={step('label_reason_confidence')}>
          <LabelDecision construction={construction} />
        </StepSection>
        <StepSection step={step('packet_schema')}>
          <details>
            <summary>The {fields.length} fields</summary>
            <Facts className={styles['terms']} facts={fields.map(({ field, purpose }) => [<code>{field}</code>, purpose])} />
          </details>
        </StepSection>
        <StepSection step={step('measurement_boundary')}>
          <MeasuredClaims claims={construction.measured_claims} />
        </StepSection>
        <StepSection step={firstCalls}>{firstCalls === undefined ? null : <FirstCalls step={firstCalls} />}</StepSection>
      </div>
    </>
  );
}

function Published() {
  return (
    <div className={`${sheet['panels'] ?? ''} ${styles['published'] ?? ''}`}>
      <AnswerSection
        box={sheet['panel']}
        title="Labeling policy"
        query={usePolicy()}
        checkedUtc={({ as_of_utc: at }) => at}
        show={(policy) => <PolicyFacts policy={policy} />}
      />
      <AnswerSection
        box={sheet['panel']}
        title="Glossary"
        query={useTaxonomy()}
        checkedUtc={({ as_of_utc: at }) => at}
        show={(taxonomy) => <TaxonomyTerms taxonomy={taxonomy} />}
      />
      <AnswerSection
        box={sheet['panel']}
        title="Lanes: what is computed when"
        query={useLanes()}
        checkedUtc={({ as_of_utc: at }) => at}
        show={(lanes) => <ComputeLanes lanes={lanes} />}
      />
      <p className={sheet['note']}>
        <Link href={PAGES.proof.pattern}>What can be proved</Link>, and <Link href={PAGES.home.pattern}>a packet to recompute here</Link>.
      </p>
    </div>
  );
}
