import { Facts } from '../../controls/facts';
import { Table } from '../../controls/table';
import { words, counted } from '@market-state/packet-figures';
import type { COMPOSITE_NAMES } from '../../packets/words';
import sheet from '../../theme/sheet.module.css';
import type { Construction, Taxonomy } from './how-queries';
import styles from './how.module.css';
import { type PolicyThresholds, tagsWith, type Term, termsOf } from './policy-documents';
import { Empty } from '../../status-components/conditions';
import { StateMark } from '../../charts/state-mark';
import { urlText, useUrlState } from '../../service/url-state';

export function TaxonomyTerms({ taxonomy }: { readonly taxonomy: Taxonomy }) {
  return (
    <>
      <h3>States</h3>
      <Facts
        className={styles['terms']}
        facts={termsOf(taxonomy, 'states').map(({ value, label, meaning }) => [
          <>
            <StateMark state={value} /> {label}
          </>,
          meaning,
        ])}
      />
      {KINDS.map(([kind, title]) => (
        <TermList key={kind} title={title} terms={termsOf(taxonomy, kind)} />
      ))}
      <Tags tags={taxonomy.tags} />
    </>
  );
}

const KINDS = [
  ['event_classes', 'Event classes'],
  ['severity_classes', 'Severity classes'],
  ['gap_flags', 'Gap flags'],
  ['publication_rules', 'When a raw winner is published'],
] as const;

function TermList({ title, terms }: { readonly title: string; readonly terms: readonly Term[] }) {
  return (
    <details>
      <summary>
        {title}: {terms.length}
      </summary>
      <Facts className={styles['terms']} facts={terms.map(({ label, meaning }) => [label, meaning])} />
    </details>
  );
}

function Tags({ tags }: { readonly tags: Taxonomy['tags'] }) {
  const [filter, setFilter] = useUrlState('tag', urlText);
  const found = tagsWith(tags, filter);
  return (
    <details open={filter !== ''}>
      <summary>Tags: {tags.length}</summary>
      <p>
        <label>
          Search <input type="search" value={filter} placeholder="pressure elevated" onChange={({ target }) => setFilter(target.value)} />
        </label>{' '}
        <span role="status" className={sheet['soft']}>
          {filter === '' ? '' : counted(found.length, 'tag')}
        </span>
      </p>
      {found.length === 0 ? (
        <Empty why={`No tag matches “${filter}”.`}>Tag families include pressure, depth, flow, queue, crowding and regime.</Empty>
      ) : (
        <Facts
          className={styles['terms']}
          facts={found.map(({ tag, meaning, horizon }) => [
            <code>{tag}</code>,
            <>
              {meaning} <span className={sheet['soft']}>{horizon === null ? '' : words(horizon)}</span>
            </>,
          ])}
        />
      )}
    </details>
  );
}

type Read = Construction['packet_input_to_label_trace']['feature_reads'][number];
type Composite = (typeof COMPOSITE_NAMES)[number][0];
type Trace = Construction['sample_packet']['state_decision_trace']['composites'][Composite];

interface FeatureScalesProps {
  readonly construction: Construction;
  readonly thresholds: ReadonlyMap<string, PolicyThresholds>;
  readonly tags: Taxonomy['tags'];
}

export function FeatureScales({ construction, thresholds, tags }: FeatureScalesProps) {
  const { packet_input_to_label_trace: trace, sample_packet: packet, derived_features: features } = construction;
  return (
    <>
      <table className={`${sheet['cards'] ?? ''} ${styles['scales'] ?? ''}`}>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col" className={sheet['number']}>
              Value
            </th>
            <th scope="col">Scale, 0 to 1</th>
            <th scope="col">Resulting tag</th>
          </tr>
        </thead>
        <tbody>
          {trace.feature_reads.map((read) => (
            <ScaleRow
              key={read.trace_step}
              read={read}
              trace={traceOf(read, packet.state_decision_trace.composites)}
              policy={thresholds.get(compositeOf(read))}
              meaning={tags.find(({ tag }) => tag === read.resulting_tag)?.meaning ?? ''}
            />
          ))}
        </tbody>
      </table>
      <p className={sheet['soft']}>
        The two lines on a scale are this packet's watch and elevated thresholds. Dots below are the policy defaults, before calibration on
        the symbol’s own packets.
      </p>
      <details>
        <summary>The {features.length} features behind these scores</summary>
        <Table
          scroll="Features"
          rows={features}
          keyOf={({ feature }) => feature}
          columns={[
            { head: 'Feature', cell: ({ feature }) => words(feature) },
            { head: 'Value', cell: ({ value }) => (value === null ? 'not reported' : shown(value)), className: sheet['number'] },
            { head: 'Unit', cell: ({ unit }) => words(unit) },
            { head: 'Source rows', cell: ({ source_family: family }) => (family === null ? '' : words(family)) },
            {
              head: 'Description',
              cell: ({ value, reason, meaning }) => (value === null && reason !== null ? `${meaning} Here: ${words(reason)}.` : meaning),
              cellClass: sheet['soft'],
            },
          ]}
        />
      </details>
    </>
  );
}

const shown = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 6 });

/** `state_decision_trace.composites.pressure.score` belongs to `pressure`. */
const compositeOf = ({ packet_field: field }: Read): string => field.split('.').at(-2) ?? '';

function traceOf(read: Read, composites: Construction['sample_packet']['state_decision_trace']['composites']): Trace | undefined {
  return (composites as Readonly<Record<string, Trace>>)[compositeOf(read)];
}

interface ScaleRowProps {
  readonly read: Read;
  readonly trace: Trace | undefined;
  readonly policy: PolicyThresholds | undefined;
  readonly meaning: string;
}

function ScaleRow({ read, trace, policy, meaning }: ScaleRowProps) {
  const { derived_read: name, derived_value: value, formula, input_class: input, level, resulting_tag: tag } = read;
  return (
    <tr data-level={level}>
      <th scope="row">
        {name} <span className={sheet['soft']}>from {words(input)}</span>
        <code className={styles['formula']}>{formula}</code>
      </th>
      <td className={sheet['number']} data-column="value">
        {value === null ? 'not reported' : value.toFixed(3)}
      </td>
      <td data-column="watch and elevated">
        {trace === undefined ? null : <Scale name={name} value={value} trace={trace} policy={policy} />}
      </td>
      <td data-column="tag">
        <code>{tag ?? 'none'}</code> <span className={sheet['soft']}>{meaning}</span>
      </td>
    </tr>
  );
}

const LEVELS: Readonly<Record<string, string>> = { no_source: 'not reported', below_watch: 'below watch', watch: 'at watch' };

function Scale({
  name,
  value,
  trace: { watch, elevated, level },
  policy,
}: {
  readonly name: string;
  readonly value: number | null;
  readonly trace: Trace;
  readonly policy: PolicyThresholds | undefined;
}) {
  const sentence = `${name}: ${value === null ? 'not reported' : value.toFixed(3)}, ${LEVELS[level] ?? words(level)}; watch from ${watch.toFixed(3)}, elevated from ${elevated.toFixed(3)}`;
  return (
    <div className={styles['scale']}>
      <svg viewBox="0 0 100 16" preserveAspectRatio="none" role="img" aria-label={sentence}>
        <rect className={styles['track']} y="3" width="100" height="8" />
        {value === null ? null : <rect className={styles['bar']} y="3" width={100 * value} height="8" />}
        <path d={`M${100 * watch} 0V14M${100 * elevated} 0V14`} />
        {policy === undefined ? null : (
          <path className={styles['policy']} d={`M${100 * policy.watch} 15.2h0M${100 * policy.elevated} 15.2h0`} />
        )}
      </svg>
      <p>
        <span>
          watch <b>{watch.toFixed(2)}</b>, elevated <b>{elevated.toFixed(2)}</b>
        </span>
        <span>{LEVELS[level] ?? words(level)}</span>
      </p>
    </div>
  );
}
