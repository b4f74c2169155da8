import { duration, words } from '@market-state/packet-figures';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { StateMark } from '../../charts/state-mark';
import { type CompactPacket, PACKET_MS, stateAgeMs } from '../../packets/live-markets';
import { severityText } from '../../packets/words';
import { ProblemNotice } from '../../status-components/problem-notice';
import { clock } from '../../time/clock';
import { readHistory } from './chart-data';
import styles from './symbol.module.css';

const endMs = ({ window_end_utc: end }: CompactPacket): number => Date.parse(end);

interface Change {
  /** First packet in the new state. */
  readonly packet: CompactPacket;
  /** The packet before it; undefined if it is not stored. */
  readonly before: CompactPacket | undefined;
}

/** Packets of two adjoining windows, already loaded or from the service. */
async function pairAt(symbol: string, atMs: number, loaded: readonly CompactPacket[]): Promise<readonly (CompactPacket | undefined)[]> {
  const find = (rows: readonly CompactPacket[]) => [atMs - PACKET_MS, atMs].map((ms) => rows.find((row) => endMs(row) === ms));
  const known = find(loaded);
  if (known.every((row) => row !== undefined)) return known;
  return find(await readHistory(symbol, { from: String(atMs - PACKET_MS), to: String(atMs + 1) }));
}

/** A packet reports the age of its state, so the change that began it is found without a search. */
async function changeBefore(symbol: string, from: CompactPacket, loaded: readonly CompactPacket[]): Promise<Change | null> {
  const [before, packet] = await pairAt(symbol, endMs(from) - stateAgeMs(from) + PACKET_MS, loaded);
  return packet === undefined ? null : { packet, before };
}

interface ChangesRequest {
  readonly symbol: string;
  readonly packets: readonly CompactPacket[];
  readonly onFound: (ms: number) => void;
}

/** Jumps from change to change, newest first. */
export function useChanges({ symbol, packets, onFound }: ChangesRequest) {
  const found = useMutation({
    mutationFn: (from: CompactPacket) => changeBefore(symbol, from, packets),
    onSuccess: (change) => change === null || onFound(endMs(change.packet)),
  });
  const newest = packets.at(-1);
  const earlier = found.data?.before;
  return {
    change: found.data,
    error: found.error,
    isBusy: found.isPending,
    last: newest === undefined ? undefined : () => found.mutate(newest),
    previous: earlier === undefined ? undefined : () => found.mutate(earlier),
    close: found.reset,
  };
}

/** Shows the reasons of the packet that published the change. */
export function ChangeCard({ changes: { change, error, close } }: { readonly changes: ReturnType<typeof useChanges> }) {
  if (error !== null) return <ProblemNotice error={error} retry={close} />;
  if (change === undefined) return null;
  if (change === null) return <p className={styles['change']}>The packet of this change is no longer stored.</p>;
  const { packet, before } = change;
  return (
    <section className={styles['change']} aria-label="State change">
      <p>
        <b>{clock(endMs(packet))}</b>{' '}
        {before === undefined ? null : (
          <>
            <StateMark state={before.state} /> {before.state_label} for {duration(stateAgeMs(before))}, then{' '}
          </>
        )}
        <StateMark state={packet.state} /> <b>{packet.state_label}</b>
      </p>
      <p>{packet.headline}</p>
      <dl>
        <dt>for</dt>
        <dd>{packet.one_reason}</dd>
        <dt>against</dt>
        <dd>{packet.one_against}</dd>
        <dt>context</dt>
        <dd>
          {words(packet.event_class)}; severity {severityText(packet.severity)}; confidence {packet.confidence.score.toFixed(2)}
        </dd>
      </dl>
      <p className={styles['toolbar']}>
        <Link href={`/packet/${packet.event_id}`}>Open this packet</Link>
        <button type="button" onClick={close}>
          Close
        </button>
      </p>
    </section>
  );
}
