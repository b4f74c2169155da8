import { AnswerSection } from '../../conditions/answer-section';
import { Empty } from '../../conditions/empty';
import { SourceRibbon } from '../../conditions/source-ribbon';
import { StateLegend } from '../../figures/state-legend';
import styles from './home.module.css';
import { type ProofBrowser, useDelayedPackets } from './home-queries';
import { PacketTape } from './packet-tape';
import { Story } from './story';

/** Packets of this service, at least ten minutes old: the newest of them to play, and two with what came before and after. */
export function DelayedPackets() {
  return (
    <AnswerSection
      title="Packets of this service, ten minutes old"
      query={useDelayedPackets()}
      checkedUtc={({ generated_at_utc: at }) => at}
      show={(preview) => <Packets preview={preview} />}
    />
  );
}

function Packets({ preview }: { readonly preview: ProofBrowser }) {
  const { public_packet_tape: tape, public_packet_lineage_stories: stories, buyer_event_story_cards: cards, meta } = preview;
  if (tape.rows.length === 0) return <Empty why="No packet is ten minutes old yet: this service has just begun." />;
  return (
    <>
      <SourceRibbon states={[meta.response_semantics.response_state]} />
      <p className={styles['soft']}>{meta.response_semantics.status_text}</p>
      <PacketTape rows={tape.rows} />
      <div className={styles['stories']}>
        {stories.map((story) => (
          <Story
            key={`${story.story_rule} ${story.event_id}`}
            story={story}
            card={cards.find(({ event_id: id }) => id === story.event_id)}
          />
        ))}
      </div>
      <StateLegend />
    </>
  );
}
