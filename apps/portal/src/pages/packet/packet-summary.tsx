import { Facts } from '../../controls/facts';
import { duration, words } from '@market-state/packet-figures';
import { Link, useLocation } from 'wouter';
import { StateMark } from '../../charts/state-mark';
import { isTyping, usePageKeys } from '../../controls/keys';
import { priceText } from '../../market/numbers';
import { PACKET_MS } from '../../packets/live-markets';
import { severityText, stateLabel } from '../../packets/words';
import { clock } from '../../time/clock';
import { adjacentEventIds, type AdjacentPacket } from './adjacent-packets';
import type { Workbench, Packet } from './packet-queries';
import { marketOfPacket, marketWords } from '../../packets/market-name';
import styles from './packet.module.css';

export const featureId = (feature: string): string => `feature-${feature}`;
export const reasonId = (reason: string): string => `reason-${reason}`;
export const rowsId = (channel: string): string => `rows-${channel}`;

const CHANNELS: Readonly<Record<string, string>> = {
  book: 'book',
  trades: 'trades',
  candles: 'trades',
  asset_context: 'context',
  liquidations: 'liquidations',
};

/** Null if the family has no rows of its own. */
export function channelOfFamily(family: string): string | null {
  return CHANNELS[family] ?? null;
}

type Reason = Packet['reason_details'][number];

interface SentencesProps {
  readonly packet: Packet;
  /** Features listed on the page, which can be linked to. */
  readonly listed: ReadonlySet<string>;
}

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
      <h2>Counterevidence</h2>
      <Reasons reasons={of('weighs_against')} listed={listed} />
      {context.length === 0 ? null : (
        <>
          <h2>Context</h2>
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
  if (reasons.length === 0) return <p className={styles['soft']}>None in this packet.</p>;
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

interface PacketHeadProps {
  readonly packet: Workbench['packet'];
  /** Null if the packet is shown without links to others. */
  readonly adjacentPackets: readonly AdjacentPacket[] | null;
}

export function PacketHead({ packet, adjacentPackets }: PacketHeadProps) {
  const market = marketOfPacket(packet);
  const { previous, next } = adjacentEventIds(adjacentPackets ?? []);
  useAdjacentPacketKeys(previous, next);
  const diagnosis = packet.state_diagnosis;
  const mid = packet.reference_prices?.mid_price ?? null;
  const facts: readonly (readonly [string, string])[] = [
    ['raw winner', stateLabel(diagnosis.winner_state)],
    ['margin', `${diagnosis.state_margin.toFixed(2)} over ${stateLabel(diagnosis.runner_up_state)}`],
    ['event class', words(packet.event_class)],
    ['severity', severityText(packet.event_severity)],
    ['confidence', confidenceWords(packet.confidence)],
    ['contradiction', packet.contradiction_score.toFixed(2)],
    ['novelty', packet.novelty_score.toFixed(2)],
    ['quality', `${packet.packet_quality.quality_score} of 100, ${packet.packet_quality.quality_class}`],
    ['flags', packet.packet_quality.gap_flags.map(words).join(', ') || 'none'],
    ['mid', mid === null ? 'not reported: no book' : `${priceText(mid)} USD`],
  ];
  return (
    <header className={styles['head']}>
      <div className={styles['title']}>
        <h1>
          <StateMark state={packet.state} /> {packet.state_label}
        </h1>
        <p>
          {adjacentPackets === null ? marketWords(market) : <Link href={`/live/${market}`}>{marketWords(market)}</Link>}, window to{' '}
          <b>{clock(packet.scope.window_end_utc)}</b>, in this state for {duration(packet.state_age_packets * PACKET_MS)}
          {adjacentPackets === null ? null : (
            <>
              ; <Link href={`/replay?symbol=${market}&at=${packet.scope.window_end_utc}`}>replay this period</Link>
            </>
          )}
        </p>
        {adjacentPackets === null ? null : (
          <nav className={styles['steps']} aria-label="Adjacent packets">
            <Step to={previous} keyName="[" label="Previous packet" />
            <Step to={next} keyName="]" label="Next packet" />
          </nav>
        )}
      </div>
      <p className={styles['headline']}>{packet.client_readout.headline}</p>
      <Facts className={styles['facts']} facts={facts.map(([name, value]) => [name, value])} />
    </header>
  );
}

function confidenceWords(confidence: Workbench['packet']['confidence']): string {
  if (typeof confidence === 'string') return confidence;
  return `${confidence.score === undefined ? '' : confidence.score.toFixed(2)} ${confidence.label ?? ''}`.trim();
}

function Step({ to, keyName, label }: { readonly to: string | null; readonly keyName: string; readonly label: string }) {
  const content = (
    <>
      {label} <kbd>{keyName}</kbd>
    </>
  );
  return to === null ? <span aria-disabled="true">{content}</span> : <Link href={`/packet/${to}`}>{content}</Link>;
}

/** `[` and `]` open the previous and the next packet. */
function useAdjacentPacketKeys(previous: string | null, next: string | null): void {
  const [, open] = useLocation();
  usePageKeys(({ key, target }) => {
    const to = key === '[' ? previous : key === ']' ? next : null;
    if (to !== null && !isTyping(target)) open(`/packet/${to}`);
  });
}
