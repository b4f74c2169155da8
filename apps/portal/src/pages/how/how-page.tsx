import { Loaded } from '../../status-components/loaded';
import { Choice } from '../../controls/choice';
import { Facts } from '../../controls/facts';
import { words, counted } from '@market-state/packet-figures';
import { Link } from 'wouter';
import { AnswerSection } from '../../status-components/answer-section';
import { SourceRibbon } from '../../status-components/source-ribbon';
import { PAGES } from '../../pages';
import { usePublicSymbols } from '../../proofs/proof-queries';
import { urlText, useUrlState } from '../../service/url-state';
import { marketNamed, marketWords, venueWords } from '../../packets/market-name';
import sheet from '../../theme/sheet.module.css';
import { clockSpan } from '../../time/clock';
import { ComputeLanes, WindowInputs, LabelDecision, StepSection, StepFlow } from './steps';
import { FeatureScales, TaxonomyTerms } from './policy-sections';
import { type Construction, useConstructionOf, useLanes, usePolicy, useTaxonomy, type Policy } from './how-queries';
import styles from './how.module.css';
import { thresholdsOf } from './policy-documents';
import { CopyButton } from '../../controls/copy-button';

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

const SYMBOL = urlText();

export default function HowPage() {
  const [symbol, setSymbol] = useUrlState('symbol', SYMBOL);
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
        {clockSpan(Date.parse(input.window_start_utc), Date.parse(input.window_end_utc))}, {venueWords(input.venue)},{' '}
        {words(input.source_kind)}. {rule}
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
      <section className={sheet['panel']}>
        <AnswerSection
          title="Labeling policy"
          query={usePolicy()}
          checkedUtc={({ as_of_utc: at }) => at}
          show={(policy) => <PolicyFacts policy={policy} />}
        />
      </section>
      <section className={sheet['panel']}>
        <AnswerSection
          title="Glossary"
          query={useTaxonomy()}
          checkedUtc={({ as_of_utc: at }) => at}
          show={(taxonomy) => <TaxonomyTerms taxonomy={taxonomy} />}
        />
      </section>
      <section className={sheet['panel']}>
        <AnswerSection
          title="Lanes: what is computed when"
          query={useLanes()}
          checkedUtc={({ as_of_utc: at }) => at}
          show={(lanes) => <ComputeLanes lanes={lanes} />}
        />
      </section>
      <p className={sheet['note']}>
        <Link href={PAGES.proof.pattern}>What can be proved</Link>, and <Link href={PAGES.home.pattern}>a packet to recompute here</Link>.
      </p>
    </div>
  );
}
