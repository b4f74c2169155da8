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
      <dl className={styles['facts']}>
        <Fact name="Mid, USD" value={packet.reference_prices.mid_price === null ? null : priceText(packet.reference_prices.mid_price)} />
        <Fact name="Severity, 0–1" value={severityText(severity)} />
        <Fact name="Confidence, 0–1" value={packet.confidence.score.toFixed(2)} />
      </dl>
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

function Fact({ name, value }: { readonly name: string; readonly value: string | null }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value ?? <span className={styles['soft']}>not reported</span>}</dd>
    </div>
  );
}
