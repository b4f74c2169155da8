import { counted } from '@market-state/packet-figures';
import { lazy, Suspense } from 'react';
import { ProblemNotice } from '../../conditions/problem-notice';
import { Outline } from '../../conditions/outline';
import { RecomputePanel } from '../../recompute/panel/recompute-panel';
import { SAMPLE_BUNDLE_URL, sampleRequest } from '../../recompute/sample';
import styles from './home.module.css';
import { useSample } from './home-queries';

// Requested with the sample that it shows.
const samplePacket = import('./sample-packet');
const SamplePacket = lazy(() => samplePacket.then((module) => ({ default: module.SamplePacket })));

/** The sample that comes with the portal: what it says, and the check of it. */
export function SampleCheck() {
  const { data, error, refetch } = useSample();
  return (
    <div className={styles['proof']}>
      <RecomputePanel
        title="The sample, made again in your browser"
        action="Recompute it"
        load={sampleRequest}
        keyKind="sample"
        entryTotal={data?.entry_total}
      >
        <ul>
          <li>
            No key, no service: {data === undefined ? 'the sample' : `${counted(data.packet_total, 'packet')} and their log`} came with this
            page. The log begins at its first entry, so there is no checkpoint to believe.
          </li>
          <li>The published policy: its digest is compared with the one that the packet names before anything is made.</li>
          <li>
            This page&apos;s script, which is this server&apos;s. To do without it, <a href={SAMPLE_BUNDLE_URL}>download the bundle</a> and
            run <code>npx market-state verify</code> on it.
          </li>
          <li>
            The recording: BTCUSD perpetual of Binance COIN-M, 8 August 2024. No check of ours can show that it is what the exchange sent.
          </li>
        </ul>
      </RecomputePanel>
      <section className={styles['packet']} aria-label="What the packet says">
        <h2>What the packet says</h2>
        {error !== null ? (
          <ProblemNotice error={error} retry={() => void refetch()} />
        ) : data === undefined ? (
          <Outline rows={12} label="Loading the packet" />
        ) : (
          <Suspense fallback={<Outline rows={12} label="Loading the packet" />}>
            <SamplePacket packet={data.packet} />
          </Suspense>
        )}
      </section>
    </div>
  );
}
