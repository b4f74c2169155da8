import { Loaded } from '../../status-components/loaded';
import { counted } from '@market-state/packet-figures';
import { lazy, Suspense } from 'react';
import { RecomputePanel } from '../../recompute/panel/recompute-panel';
import { SAMPLE_BUNDLE_URL, sampleRequest } from '../../recompute/sample';
import { Outline } from '../../status-components/placeholder';
import { useSample } from './home-queries';
import styles from './home.module.css';

// Fetched along with the sample that it shows.
const samplePacket = import('./sample-packet');
const SamplePacket = lazy(() => samplePacket.then((module) => ({ default: module.SamplePacket })));

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
          {({ packet }) => (
            <Suspense fallback={<Outline rows={12} label="Loading the packet" />}>
              <SamplePacket packet={packet} />
            </Suspense>
          )}
        </Loaded>
      </section>
    </div>
  );
}
