import { Loaded } from '../../status-components/conditions';
import { counted } from '@market-state/packet-figures';
import { RecomputePanel } from '../../recompute/panel/recompute-panel';
import { SAMPLE_BUNDLE_URL, sampleRequest, type SampleSummary } from '../../recompute/sample';
import { useSample } from './home-queries';
import styles from './home.module.css';
import { Facts } from '../../controls/facts';
import { priceText } from '../../market/numbers';
import { StateMark } from '../../charts/state-mark';
import { Drivers } from '../../packets/drivers';
import { severityText } from '../../packets/words';
import { clock } from '../../time/clock';

function SamplePacket({ packet }: { readonly packet: SampleSummary['packet'] }) {
  const { scope, state_decision_trace: trace, client_reason_summary: summary, event_severity: severity } = packet;
  const against = packet.reason_details.filter(({ stance }) => stance === 'weighs_against');
  return (
    <>
      <p className={styles['state']}>
        <StateMark state={packet.state} />
        <b>{packet.state_label}</b>
        <span className={styles['soft']}>
          {packet.symbol}, 10 s to {clock(scope.window_end_utc)}
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

/** A packet of the bundled sample: recomputed in the browser on request, and its contents. */
export function SampleCheck() {
  const sample = useSample();
  const { data } = sample;
  return (
    <div className={styles['proof']}>
      <RecomputePanel
        title="The sample, recomputed in your browser"
        action="Recompute"
        load={sampleRequest}
        keyKind="sample"
        entryTotal={data?.entry_total}
      >
        <ul>
          <li>
            Runs entirely in your browser, with{' '}
            {data === undefined ? 'the sample' : `${counted(data.packet_total, 'packet')} and their log`} bundled in this page. The log
            starts at its first entry, so no checkpoint has to be trusted.
          </li>
          <li>The published policy: its digest is compared with the one in the packet before anything is computed.</li>
          <li>
            This page&apos;s script, served by this server. To avoid trusting it, <a href={SAMPLE_BUNDLE_URL}>download the bundle</a> and
            run <code>npx market-state verify</code> on it.
          </li>
          <li>
            The recording: BTCUSD perpetual of Binance COIN-M, 8 August 2024. We can't prove that it is exactly what the exchange sent.
          </li>
        </ul>
      </RecomputePanel>
      <section className={styles['packet']} aria-label="Packet contents">
        <h2>Packet contents</h2>
        <Loaded query={sample} rows={12} label="Loading the packet">
          {({ packet }) => <SamplePacket packet={packet} />}
        </Loaded>
      </section>
    </div>
  );
}
