import { words } from '@market-state/packet-figures';
import { WideTable } from '../../charts/wide-table';
import type { Evidence, Packet } from './packet-queries';
import styles from './packet.module.css';
import { StateMark } from '../../charts/state-mark';
import { channelOfFamily, featureId, reasonId, rowsId } from './packet-summary';

type Feature = Evidence['features'][number];

interface FeaturesProps {
  readonly features: readonly Feature[];
  readonly reasons: Packet['reason_details'];
}

export function Features({ features, reasons }: FeaturesProps) {
  return (
    <section aria-label="Drivers" className={styles['full']}>
      <h2>Drivers</h2>
      <WideTable label="Drivers">
        <thead>
          <tr>
            <th scope="col">Feature</th>
            <th scope="col" className={styles['number']}>
              Value
            </th>
            <th scope="col">Unit</th>
            <th scope="col">Window</th>
            <th scope="col">Source rows</th>
            <th scope="col">Used by</th>
            <th scope="col">Description</th>
          </tr>
        </thead>
        <tbody>
          {features.map((feature) => (
            <FeatureRow key={feature.feature} feature={feature} reasons={reasons} />
          ))}
        </tbody>
      </WideTable>
    </section>
  );
}

function FeatureRow({
  feature: { feature, value, unit, window, window_seconds: seconds, source_family: family, reason, meaning },
  reasons,
}: {
  readonly feature: Feature;
  readonly reasons: FeaturesProps['reasons'];
}) {
  const channel = family === null ? null : channelOfFamily(family);
  const resting = reasons.filter(({ supporting_features: features }) => features.includes(feature));
  return (
    <tr id={featureId(feature)}>
      <th scope="row">{words(feature)}</th>
      <td className={styles['number']}>{value === null ? <span className={styles['soft']}>not reported</span> : shown(value)}</td>
      <td className={styles['soft']}>{words(unit)}</td>
      <td className={styles['soft']}>{seconds === null ? words(window) : `last ${seconds} s`}</td>
      <td>{family === null ? '' : channel === null ? words(family) : <a href={`#${rowsId(channel)}`}>{words(family)}</a>}</td>
      <td className={styles['linked']}>
        {resting.map(({ reason_id: id }) => (
          <a key={id} href={`#${reasonId(id)}`}>
            {words(id)}
          </a>
        ))}
      </td>
      <td className={styles['soft']}>{value === null && reason !== null ? words(reason) : meaning}</td>
    </tr>
  );
}

/** The packet's exact value, never rounded. */
function shown(value: number | string | boolean): string {
  return typeof value === 'number' ? value.toLocaleString('en-US', { maximumFractionDigits: 10 }) : String(value);
}

interface CandidatesProps {
  readonly candidates: Evidence['candidates'];
  readonly sentence: string;
}

export function Candidates({ candidates, sentence }: CandidatesProps) {
  return (
    <section aria-label="Candidates">
      <h2>Candidates, ranked</h2>
      <p className={styles['soft']}>{sentence}</p>
      <WideTable label="Candidates">
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col" className={styles['number']}>
              Score, 0–1
            </th>
            <th scope="col" className={styles['wide']}>
              <span className="visually-hidden">Bar</span>
            </th>
            <th scope="col" className={styles['number']}>
              Behind by
            </th>
            <th scope="col">Outcome</th>
            <th scope="col">Terms</th>
          </tr>
        </thead>
        <tbody>
          {candidates.map(({ state, label, score, shortfall, outcome, rejection_reason: reason, terms, term_notes: notes }) => (
            <tr key={state}>
              <th scope="row" className={styles['state']}>
                <StateMark state={state} /> {label}
              </th>
              <td className={styles['number']}>{score.toFixed(2)}</td>
              <td className={styles['wide']}>
                <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" className={styles['score']}>
                  <rect x="0" y="0" width={100 * score} height="8" />
                </svg>
              </td>
              <td className={styles['number']}>{shortfall === 0 ? '' : shortfall.toFixed(2)}</td>
              <td>{words(reason ?? outcome)}</td>
              <td className={styles['soft']}>{termWords(terms, notes)}</td>
            </tr>
          ))}
        </tbody>
      </WideTable>
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

interface ThresholdsProps {
  readonly thresholds: Evidence['thresholds'];
  readonly calibration: string;
}

const CLASS_WORDS: Readonly<Record<string, string>> = { crossed: 'crossed', near_threshold: 'near miss', below: 'below' };

export function Thresholds({ thresholds, calibration }: ThresholdsProps) {
  return (
    <section aria-label="Thresholds">
      <h2>Thresholds</h2>
      <p className={styles['soft']}>{calibration}</p>
      <WideTable label="Thresholds">
        <thead>
          <tr>
            <th scope="col">Score</th>
            <th scope="col">Line</th>
            <th scope="col" className={styles['number']}>
              Value
            </th>
            <th scope="col" className={styles['number']}>
              Threshold
            </th>
            <th scope="col" className={styles['number']}>
              Distance
            </th>
            <th scope="col" className={styles['wide']}>
              0 to 1
            </th>
            <th scope="col">Met</th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          {thresholds.map(({ feature_id: id, composite, level, threshold, value, distance, crossing_class: crossing, source }) => (
            <tr key={id} data-met={crossing}>
              <th scope="row">{words(composite)}</th>
              <td>{words(level)}</td>
              <td className={styles['number']}>{value === null ? 'not reported' : value.toFixed(3)}</td>
              <td className={styles['number']}>{threshold.toFixed(3)}</td>
              <td className={styles['number']}>{distance === null ? '' : `${distance < 0 ? '−' : '+'}${Math.abs(distance).toFixed(3)}`}</td>
              <td className={styles['wide']}>
                <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" className={styles['score']}>
                  {value === null ? null : <rect x="0" y="2" width={100 * value} height="6" />}
                  <path d={`M${100 * threshold} 0V10`} />
                </svg>
              </td>
              <td>{crossing === null ? 'not reported' : (CLASS_WORDS[crossing] ?? words(crossing))}</td>
              <td className={styles['soft']}>{words(source)}</td>
            </tr>
          ))}
        </tbody>
      </WideTable>
    </section>
  );
}
