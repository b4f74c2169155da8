import { price } from '@market-state/packet-figures';
import { StateStrip } from '../../figures/state-strip';
import { severityWord } from '../../packets/words';
import { clock } from '../../time/clock';
import styles from './home.module.css';
import type { ProofBrowser } from './home-queries';
import { linePath } from './story-line';
import { storyReadings } from './story-readings';

type LineageStory = ProofBrowser['public_packet_lineage_stories'][number];
type StoryCard = ProofBrowser['buyer_event_story_cards'][number];

const STAGES = ['before', 'during', 'after'] as const;
const MS = 1_000;

/** One telling packet among its neighbours: states and mid price around it, and what was said before, during and after. */
export function Story({ story, card }: { readonly story: LineageStory; readonly card: StoryCard | undefined }) {
  const { symbol, title, story_rule_meaning: rule, stages, timeline_rows: rows, lineage_visualization: lineage } = story;
  const stepMs = MS * lineage.expected_interval_seconds;
  const ends = rows.map(({ event_time_utc: at }) => Date.parse(at));
  const [startMs, endMs] = [Math.min(...ends) - stepMs, Math.max(...ends)];
  const at = (ms: number): number => (100 * (ms - startMs)) / (endMs - startMs);
  const mids = rows.map(({ event_time_utc: end, mid_price: value }) => ({ atMs: Date.parse(end), value }));
  const bounds = [stages.during.start_utc, stages.during.end_utc].flatMap((each) => (each === null ? [] : [Date.parse(each)]));
  return (
    <article className={styles['story']}>
      <h3>
        {symbol}. {title}
      </h3>
      <p className={styles['soft']}>
        {rule}
        {card === undefined
          ? ''
          : ` Severity ${card.severity_score.toFixed(2)}, ${severityWord(card.severity_class)}; confidence ${card.confidence_score.toFixed(2)}.`}
      </p>
      <svg
        className={styles['mid']}
        viewBox="0 0 100 100"
        preserveAspectRatio="none"
        role="img"
        aria-label={`Mid price of ${symbol}: ${midWords(stages.before.mid_price_first)} at first, ${midWords(stages.after.mid_price_last)} at last`}
      >
        {bounds.length === 2 ? <rect x={at(bounds[0] ?? 0)} width={at(bounds[1] ?? 0) - at(bounds[0] ?? 0)} y="0" height="100" /> : null}
        <path d={linePath(mids, startMs, endMs, stepMs)} />
      </svg>
      <StateStrip
        readings={storyReadings(story)}
        startMs={startMs}
        endMs={endMs}
        omitted={lineage.missing_packet_total === 0 ? [{ startMs, endMs }] : []}
        label={title}
      />
      <p className={styles['span']}>
        <span>{clock(startMs)}</span>
        <span>{clock(endMs, 'time')}</span>
      </p>
      <dl className={styles['stages']}>
        {STAGES.map((stage) => (
          <div key={stage}>
            <dt>{stage}</dt>
            <dd>
              {stages[stage].sentence}
              <span className={styles['soft']}> Mid {movedWords(stages[stage])}.</span>
            </dd>
          </div>
        ))}
      </dl>
    </article>
  );
}

const midWords = (value: number | null): string => (value === null ? 'not reported' : price(value));

function movedWords({ mid_price_first: first, mid_price_last: last, mid_move_bps: bps }: LineageStory['stages']['before']): string {
  if (first === null || last === null || bps === null) return 'not reported';
  return `${price(first)} to ${price(last)}, ${Math.abs(bps).toFixed(1)} bps ${bps < 0 ? 'lower' : 'higher'}`;
}
