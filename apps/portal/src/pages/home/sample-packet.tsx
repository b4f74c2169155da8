import { Facts } from '../../controls/facts';
import { priceText } from '../../market/numbers';
import { StateMark } from '../../charts/state-mark';
import { Drivers } from '../../packets/drivers';
import { severityText } from '../../packets/words';
import type { SampleSummary } from '../../recompute/sample';
import { clock } from '../../time/clock';
import styles from './home.module.css';

export function SamplePacket({ packet }: { readonly packet: SampleSummary['packet'] }) {
  const { scope, state_decision_trace: trace, client_reason_summary: summary, event_severity: severity } = packet;
  const against = packet.reason_details.filter(({ stance }) => stance === 'weighs_against');
  return (
    <>
      <p className={styles['state']}>
        <StateMark state={packet.state} />
        <b>{packet.state_label}</b>
        <span className={styles['soft']}>
          {packet.symbol}, 10 s to {clock(Date.parse(scope.window_end_utc))}
        </span>
      </p>
      <p>{packet.client_readout.read}</p>
      <Facts
        className={styles['facts']}
        facts={[
          [
            'Mid, USD',
            packet.reference_prices.mid_price === null ? (
              <span className={styles['soft']}>not reported</span>
            ) : (
              priceText(packet.reference_prices.mid_price)
            ),
          ],
          ['Severity, 0–1', severityText(severity)],
          ['Confidence, 0–1', packet.confidence.score.toFixed(2)],
        ]}
      />
      <h3>Drivers, against watch and elevated thresholds</h3>
      <Drivers trace={trace} />
      <h3>Counterevidence</h3>
      {against.length === 0 ? (
        <p className={styles['soft']}>None in this packet.</p>
      ) : (
        <ul>
          {against.map(({ reason_id: id, claim }) => (
            <li key={id}>{claim}</li>
          ))}
        </ul>
      )}
      <h3>What would end it</h3>
      <ul>
        {summary.invalidation_conditions.map((condition) => (
          <li key={condition}>{condition}</li>
        ))}
      </ul>
    </>
  );
}
