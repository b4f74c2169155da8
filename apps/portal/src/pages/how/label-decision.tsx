import { words } from '@market-state/packet-figures';
import { ContestBar } from '../../figures/contest-bar';
import { StateMark } from '../../figures/state-mark';
import { stateLabel } from '../../packets/words';
import sheet from '../../theme/sheet.module.css';
import type { Construction } from './how-queries';
import styles from './how.module.css';

/** Which state won and by how much, how sure the packet is, and what speaks for and against it. */
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
        <dl className={styles['bars']}>
          {confidence.terms.map(({ term, value }) => (
            <div key={term}>
              <dt>{words(term)}</dt>
              <dd>
                <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                  <rect className={styles['track']} width="100" height="8" />
                  <rect width={100 * value} height="8" />
                </svg>
                <span>{value.toFixed(2)}</span>
              </dd>
            </div>
          ))}
        </dl>
        <p className={sheet['soft']}>
          <code>{confidence.formula}</code>; {confidence.labels}.
        </p>
      </div>
      <div>
        <h3>What speaks for it</h3>
        <Claims claims={rest} />
        <h3>What speaks against it</h3>
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
  if (claims.length === 0) return <p className={sheet['soft']}>Nothing, in this packet.</p>;
  return (
    <ul>
      {claims.map(({ reason_id: id, claim }) => (
        <li key={id}>{claim}</li>
      ))}
    </ul>
  );
}
