import { words } from '@market-state/packet-figures';
import { featureId, reasonId } from './links';
import type { Packet } from './packet-queries';
import styles from './packet.module.css';

type Reason = Packet['reason_details'][number];

interface SentencesProps {
  readonly packet: Packet;
  /** Features that the page lists, to be led to. */
  readonly listed: ReadonlySet<string>;
}

/** What the packet says, in its own sentences: reads, reasons, what speaks against them, what would end them. */
export function Sentences({ packet, listed }: SentencesProps) {
  const { client_readout: readout, client_reason_summary: summary, reason_details: reasons } = packet;
  const of = (stance: string): readonly Reason[] => reasons.filter((reason) => reason.stance === stance);
  const context = reasons.filter(({ stance }) => stance !== 'supports' && stance !== 'weighs_against');
  return (
    <section className={styles['sentences']} aria-label="Reasons">
      <h2>Why this label</h2>
      <p>
        {readout.read} {summary.why_now}
      </p>
      <Reasons reasons={of('supports')} listed={listed} />
      <h2>What speaks against it</h2>
      <Reasons reasons={of('weighs_against')} listed={listed} />
      {context.length === 0 ? null : (
        <>
          <h2>Beside it</h2>
          <Reasons reasons={context} listed={listed} />
        </>
      )}
      <h2>What changed</h2>
      <p>{summary.what_changed}</p>
      <h2>What would end it</h2>
      <ul>
        {summary.invalidation_conditions.map((condition) => (
          <li key={condition}>{condition}</li>
        ))}
      </ul>
      <h2>Next check</h2>
      <p>{summary.next_check}</p>
      <h2>Support</h2>
      <p>{readout.support}</p>
    </section>
  );
}

function Reasons({ reasons, listed }: { readonly reasons: readonly Reason[]; readonly listed: ReadonlySet<string> }) {
  if (reasons.length === 0) return <p className={styles['soft']}>Nothing, in this packet.</p>;
  return (
    <ul>
      {reasons.map(({ reason_id: id, claim, supporting_features: features, horizon }) => (
        <li key={id} id={reasonId(id)}>
          {claim}{' '}
          <span className={styles['soft']}>
            {words(horizon)}
            {features
              .filter((feature) => listed.has(feature))
              .map((feature) => (
                <a key={feature} href={`#${featureId(feature)}`}>
                  {words(feature)}
                </a>
              ))}
          </span>
        </li>
      ))}
    </ul>
  );
}
