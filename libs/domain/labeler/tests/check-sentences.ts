import type { Packet } from '../src/packet/packet';
import { endingFaults } from './check-endings';
import { repeatedSentences, sentencesByPlace, sentencesOf, sentencesOfFields, unitFaults } from './sentences';

/** Sentences about trades, which require reported trades. */
const ON_TRADES =
  /\btrades? (?!(are|is) reported|windows?)(?!flow)|\btrades (do not|lean|run|follow|came)|\b(buy|sell|aggressive|trade) flow\b/i;
const NO_TRADES = /no trades are reported/;
/** Families listed as missing are named, not described. */
const LISTED = /(not seen yet|[Nn]ot in this source|[Nn]ot subscribed|partly supported):.*|does not have .*/;

/** Faults of a packet's sentences compared with its own fields; empty if every one is true. */
export function sentenceFaults(packet: Packet): readonly string[] {
  const { trades } = packet.source_status;
  const { flow, pressure } = packet.state_decision_trace.composites;
  const { winner_state: winner } = packet.state_diagnosis;
  const said = sentencesByPlace(packet);
  const made = sentencesOfFields(packet);
  const faultOf = (fault: string, sentence: string) => `${packet.ts} ${fault}: ${sentence}`;
  const differing = [...new Set([...Object.keys(said), ...Object.keys(made)])].filter((place) => said[place] !== made[place]);
  const sentences = sentencesOf(packet);
  const current = winner !== 'insufficient_evidence' && winner !== 'replay_context_ready';
  const flow10s = flow.terms['flow_10s'] ?? 0;
  const lately = pressure.side === 'bid' ? flow10s >= flow.watch : pressure.side === 'ask' && -flow10s >= flow.watch;
  return [
    ...differing.map((place) => faultOf('not what the fields make', `${said[place] ?? 'nothing'} / ${made[place] ?? 'nothing'}`)),
    ...sentences.flatMap(unitFaults),
    ...repeatedSentences(packet).map((sentence) => faultOf('said twice', sentence)),
    ...(trades.status === 'missing' ? sentences.filter((sentence) => isOnTrades(sentence)) : []).map((sentence) =>
      faultOf('on trades without trades', sentence),
    ),
    ...(trades.status === 'missing' ? [] : sentences.filter((sentence) => NO_TRADES.test(sentence))).map((sentence) =>
      faultOf('denies trades that are reported', sentence),
    ),
    ...sentences
      .filter((sentence) => /do not confirm/.test(sentence) && current && pressure.held && !flow.held && lately)
      .filter((sentence) => !/last ten seconds/.test(sentence))
      .map((sentence) => faultOf('denies without its clause', sentence)),
    ...sentences
      .filter((sentence) => /dominates/.test(sentence) && flow.level !== 'elevated')
      .map((sentence) => faultOf('dominates under elevated', sentence)),
    ...sentences
      .filter((sentence) => / is close: /.test(sentence) && !isOpen(packet))
      .map((sentence) => faultOf('close and not open', sentence)),
    ...sentences
      .filter((sentence) => /A gap in the book channel/.test(sentence) && isSilence(packet))
      .map((sentence) => faultOf('calls a silence a gap', sentence)),
    ...underWatchFaults(packet, sentences).map((sentence) => faultOf('published below watch', sentence)),
    ...(current ? endingFaults(packet) : []),
  ];
}

function isOnTrades(sentence: string): boolean {
  return ON_TRADES.test(sentence.replace(NO_TRADES, '').replace(LISTED, ''));
}

function isOpen({ state_decision_trace: { candidate_states: candidates, runner_up_state: runnerUp } }: Packet): boolean {
  return candidates.find(({ state }) => state === runnerUp)?.terms['open'] === 1;
}

function isSilence({ source_resolution: { gaps } }: Packet): boolean {
  return !gaps.some(({ channel, reason }) => reason !== 'recording_seam' && (channel === 'book' || channel === 'all'));
}

/** Exactly a state whose only composite is held below watch must say so. */
function underWatchFaults(packet: Packet, sentences: readonly string[]): string[] {
  const single = { flow_shift_watch: 'flow', depth_watch: 'pressure', fragile_depth_watch: 'fragility' } as const;
  const name = single[packet.state as keyof typeof single];
  const { winner_state: winner } = packet.state_diagnosis;
  if (name === undefined || winner === 'insufficient_evidence' || winner === 'replay_context_ready') return [];
  const { held, score, watch } = packet.state_decision_trace.composites[name];
  const under = held && score !== null && score < watch;
  return sentences.some((sentence) => / is published below watch: /.test(sentence)) === under ? [] : [`${packet.state} ${score}`];
}
