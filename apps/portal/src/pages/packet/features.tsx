import { words } from '@market-state/packet-figures';
import { WideTable } from '../../figures/wide-table';
import { channelOfFamily, featureId, reasonId, rowsId } from './links';
import type { Evidence, Packet } from './packet-queries';
import styles from './packet.module.css';

type Feature = Evidence['features'][number];

interface FeaturesProps {
  readonly features: readonly Feature[];
  readonly reasons: Packet['reason_details'];
}

/** What was measured, over which window, from which rows; each leads to the reasons that rest on it and to its rows. */
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
            <th scope="col">Rows of</th>
            <th scope="col">Reasons that rest on it</th>
            <th scope="col">What it is</th>
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

/** As the packet has it: never rounded to another number. */
function shown(value: number | string | boolean): string {
  return typeof value === 'number' ? value.toLocaleString('en-US', { maximumFractionDigits: 10 }) : String(value);
}
