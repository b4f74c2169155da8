import type { Packet } from '../src/packet/packet';
import { absorptionBound } from '../src/decision/event-class';
import { numberWords } from '../src/policy/template';
import type { CompositeName } from '../src/names';
import { nextPacket, type Change, type NextPacket } from './next-packet';
import { policy } from './packet-read';

const STEP = 0.000_001;

const COMPOSITE_OF: Readonly<Record<string, CompositeName>> = {
  'book pressure': 'pressure',
  'trade flow': 'flow',
  'buy flow': 'flow',
  'sell flow': 'flow',
  'queue fragility': 'fragility',
  crowding: 'crowding',
  'the regime score': 'regime',
};
const NAMES = Object.keys(COMPOSITE_OF).join('|');
const FALLS = new RegExp(`(${NAMES}) \\(now ([^)]*)\\) falls below (\\d\\.\\d+)`, 'g');
const REACHES = new RegExp(`(${NAMES}) \\(now ([^)]*)\\) reaches (\\d\\.\\d+)`, 'g');

const BECOMES: readonly (readonly [words: RegExp, profile: string])[] = [
  [/confirmed pressure when/, 'flow_confirmed_pressure'],
  [/becomes trade flow leading when/, 'trade_flow_lead'],
  [/becomes absorption when/, 'contra_flow_absorption'],
];

/** Faults of a packet's invalidation conditions, evaluated against the next packet at the values that they name. */
export function endingFaults(packet: Packet): readonly string[] {
  const { event_class: eventClass, client_reason_summary: summary, state_diagnosis: diagnosis } = packet;
  const wins = (next: NextPacket) => next.open.includes(diagnosis.winner_state);
  const stays = (next: NextPacket) => next.eventClass === eventClass;
  return summary.invalidation_conditions.flatMap((sentence) => {
    const faultOf = (fault: string) => `${packet.ts} ${fault}: ${sentence}`;
    const isClass = sentence.startsWith('The event class');
    const holds = isClass ? stays : wins;
    const falls = [...sentence.matchAll(FALLS)].flatMap((match) => {
      const { name, score, printed } = named(packet, match, 'leave_at');
      const at = (value: number) => holds(nextPacket(packet, { scores: { [name]: value } }));
      return [
        ...(printed ? [] : [faultOf(`prints other numbers than ${name} ${score} and leave ${leaveAt(packet, name)}`)]),
        ...(at(leaveAt(packet, name)) ? [] : [faultOf('ends at leave already')]),
        ...(at(leaveAt(packet, name) - STEP) ? [faultOf('continues below the exit threshold')] : []),
      ];
    });
    const reaches = isClass ? [...sentence.matchAll(REACHES)].flatMap((match) => reachFaults(packet, sentence, match).map(faultOf)) : [];
    return [...falls, ...reaches, ...moveFaults(packet, sentence).map(faultOf)];
  });
}

function leaveAt(packet: Packet, name: CompositeName): number {
  return packet.state_decision_trace.composites[name].leave_at;
}

function named(packet: Packet, match: RegExpExecArray, threshold: 'leave_at' | 'enter_at') {
  const name = COMPOSITE_OF[match[1] ?? ''] ?? 'pressure';
  const { score, [threshold]: level } = packet.state_decision_trace.composites[name];
  const printed = match[2] === numberWords(score ?? 0, 'score', level) && match[3] === numberWords(level, 'score', score);
  return { name, score, level, printed };
}

/** At watch the class must change to the named one; just below watch it must stay. */
function reachFaults(packet: Packet, sentence: string, match: RegExpExecArray): string[] {
  const { name, level, printed } = named(packet, match, 'enter_at');
  const side: Change = /on the side of the book, and another/.test(sentence) ? { flowSide: bookSide(packet) } : {};
  const bound = nextBound(packet);
  const inside: Change = /back inside/.test(sentence) && !/or absorption/.test(sentence) ? { moveBps: bound } : {};
  const at = (value: number) => nextPacket(packet, { ...side, ...inside, scores: { [name]: value } });
  const [, becomes] = BECOMES.find(([words]) => words.test(sentence)) ?? [];
  const reached = at(level);
  return [
    ...(printed ? [] : ['prints other numbers']),
    ...(at(level - STEP).eventClass === packet.event_class ? [] : ['ends under watch already']),
    ...(reached.eventClass !== packet.event_class ? [] : ['goes on at watch']),
    ...(becomes === undefined || becomes === reached.eventProfile ? [] : [`becomes ${reached.eventProfile}, not ${becomes}`]),
  ];
}

/** A move at the bound is absorbed, one beyond it is not. */
function moveFaults(packet: Packet, sentence: string): string[] {
  const bound = nextBound(packet);
  const { flow, pressure } = packet.state_decision_trace.composites;
  const scores = {
    ...(/flow \(now [^)]*\) reaches/.test(sentence) ? { flow: flow.enter_at } : {}),
    ...(/pressure \(now [^)]*\) reaches/.test(sentence) ? { pressure: pressure.enter_at } : {}),
  };
  const profileAt = (moveBps: number) => nextPacket(packet, { scores, moveBps }).eventProfile;
  if (!/moves more than|inside|moved more than/.test(sentence)) return [];
  return [
    ...(profileAt(bound) === 'contra_flow_absorption' ? [] : [`a move of ${bound} is ${profileAt(bound)}`]),
    ...(profileAt(bound + STEP) === 'contra_flow_absorption' ? ['a move over the bound is absorbed too'] : []),
  ];
}

function nextBound({ driver_strengths: { spread_bps: spread }, event_class: eventClass }: Packet): number {
  return absorptionBound(spread ?? 0, eventClass, policy.numbers);
}

function bookSide({ state_hierarchy: { side_context: side } }: Packet): 1 | -1 {
  return side.book_side === 'bid' ? 1 : -1;
}
