import { Hidden, Table } from '../../controls/table';
import { words } from '@market-state/packet-figures';
import type { Evidence, Packet } from './packet-queries';
import styles from './packet.module.css';
import { StateMark } from '../../charts/state-mark';
import { channelOfFamily, featureId, reasonId, rowsId } from './packet-summary';

type Feature = Evidence['features'][number];

export function Features({ features, reasons }: { readonly features: readonly Feature[]; readonly reasons: Packet['reason_details'] }) {
  return (
    <section aria-label="Drivers" className={styles['full']}>
      <h2>Drivers</h2>
      <Table
        scroll="Drivers"
        rows={features}
        keyOf={({ feature }) => feature}
        rowProps={({ feature }) => ({ id: featureId(feature) })}
        columns={[
          { head: 'Feature', cell: ({ feature }) => words(feature) },
          {
            head: 'Value',
            cell: ({ value }) => (value === null ? <span className={styles['soft']}>not reported</span> : shown(value)),
            className: styles['number'],
          },
          { head: 'Unit', cell: ({ unit }) => words(unit), cellClass: styles['soft'] },
          {
            head: 'Window',
            cell: ({ window, window_seconds: seconds }) => (seconds === null ? words(window) : `last ${seconds} s`),
            cellClass: styles['soft'],
          },
          { head: 'Source rows', cell: ({ source_family: family }) => <Family family={family} /> },
          {
            head: 'Used by',
            cell: ({ feature }) =>
              reasons
                .filter(({ supporting_features: used }) => used.includes(feature))
                .map(({ reason_id: id }) => (
                  <a key={id} href={`#${reasonId(id)}`}>
                    {words(id)}
                  </a>
                )),
            cellClass: styles['linked'],
          },
          {
            head: 'Description',
            cell: ({ value, reason, meaning }) => (value === null && reason !== null ? words(reason) : meaning),
            cellClass: styles['soft'],
          },
        ]}
      />
    </section>
  );
}

/** Links to the rows, if the family has some of its own. */
function Family({ family }: { readonly family: string | null }) {
  const channel = family === null ? null : channelOfFamily(family);
  if (family === null) return '';
  return channel === null ? words(family) : <a href={`#${rowsId(channel)}`}>{words(family)}</a>;
}

/** The packet's exact value, never rounded. */
function shown(value: number | string | boolean): string {
  return typeof value === 'number' ? value.toLocaleString('en-US', { maximumFractionDigits: 10 }) : String(value);
}

export function Candidates({ candidates, sentence }: { readonly candidates: Evidence['candidates']; readonly sentence: string }) {
  return (
    <section aria-label="Candidates">
      <h2>Candidates, ranked</h2>
      <p className={styles['soft']}>{sentence}</p>
      <Table
        scroll="Candidates"
        rows={candidates}
        keyOf={({ state }) => state}
        columns={[
          {
            head: 'State',
            cell: ({ state, label }) => (
              <>
                <StateMark state={state} /> {label}
              </>
            ),
            cellClass: styles['state'],
          },
          { head: 'Score, 0–1', cell: ({ score }) => score.toFixed(2), className: styles['number'] },
          {
            head: <Hidden>Bar</Hidden>,
            cell: ({ score }) => (
              <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" className={styles['score']}>
                <rect x="0" y="0" width={100 * score} height="8" />
              </svg>
            ),
            className: styles['wide'],
          },
          { head: 'Behind by', cell: ({ shortfall }) => (shortfall === 0 ? '' : shortfall.toFixed(2)), className: styles['number'] },
          { head: 'Outcome', cell: ({ outcome, rejection_reason: reason }) => words(reason ?? outcome) },
          { head: 'Terms', cell: ({ terms, term_notes: notes }) => termWords(terms, notes), cellClass: styles['soft'] },
        ]}
      />
    </section>
  );
}

/** `floor 0.35, open yes`; a term without a value shows the reason. */
function termWords(terms: Evidence['candidates'][number]['terms'], notes: Readonly<Record<string, string>>): string {
  return Object.entries(terms)
    .map(
      ([name, value]) =>
        `${words(name)} ${value === null ? words(notes[name] ?? 'not reported') : Number.isInteger(value) ? value : value.toFixed(2)}`,
    )
    .join(', ');
}

const CLASS_WORDS: Readonly<Record<string, string>> = { crossed: 'crossed', near_threshold: 'near miss', below: 'below' };

export function Thresholds({ thresholds, calibration }: { readonly thresholds: Evidence['thresholds']; readonly calibration: string }) {
  return (
    <section aria-label="Thresholds">
      <h2>Thresholds</h2>
      <p className={styles['soft']}>{calibration}</p>
      <Table
        scroll="Thresholds"
        rows={thresholds}
        keyOf={({ feature_id: id }) => id}
        rowProps={({ crossing_class: crossing }) => ({ 'data-met': crossing })}
        columns={[
          { head: 'Score', cell: ({ composite }) => words(composite) },
          { head: 'Line', cell: ({ level }) => words(level) },
          { head: 'Value', cell: ({ value }) => (value === null ? 'not reported' : value.toFixed(3)), className: styles['number'] },
          { head: 'Threshold', cell: ({ threshold }) => threshold.toFixed(3), className: styles['number'] },
          {
            head: 'Distance',
            cell: ({ distance }) => (distance === null ? '' : `${distance < 0 ? '−' : '+'}${Math.abs(distance).toFixed(3)}`),
            className: styles['number'],
          },
          {
            head: '0 to 1',
            cell: ({ threshold, value }) => (
              <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" className={styles['score']}>
                {value === null ? null : <rect x="0" y="2" width={100 * value} height="6" />}
                <path d={`M${100 * threshold} 0V10`} />
              </svg>
            ),
            className: styles['wide'],
          },
          {
            head: 'Met',
            cell: ({ crossing_class: crossing }) => (crossing === null ? 'not reported' : (CLASS_WORDS[crossing] ?? words(crossing))),
          },
          { head: 'From', cell: ({ source }) => words(source), cellClass: styles['soft'] },
        ]}
      />
    </section>
  );
}
