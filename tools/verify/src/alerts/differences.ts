import { alertsByRule, type FoundStanding, type Outcome, type ToldAlert, type ToldMessage } from './outcome';

const occasionOf = ({ tenant_id: tenantId, occasion }: ToldMessage): string => `${tenantId}: ${occasion}`;

/** A sentence for all that an outcome has otherwise than the unbroken pass. Ids and places among a tenant's other streams are its own. */
export function differencesOf(unbroken: Outcome, found: Outcome): string[] {
  return [
    ...messageDifferences(unbroken.messages, found.messages),
    ...orderDifferences(unbroken.messages, found.messages),
    ...standingDifferences(unbroken.standings, found.standings),
    ...unbroken.rest.filter((line) => !found.rest.includes(line)).map((line) => `Only the unbroken pass has: ${line}.`),
    ...found.rest.filter((line) => !unbroken.rest.includes(line)).map((line) => `The unbroken pass has not: ${line}.`),
  ];
}

/** A body without its id, and who it is sent to. */
const contentOf = ({ event_kind: kind, symbol, created_ms: createdMs, data, meta, sent }: ToldMessage): string =>
  [kind, symbol, createdMs, data, meta, sent].join('\n');

function messageDifferences(unbroken: readonly ToldMessage[], found: readonly ToldMessage[]): string[] {
  const wanted = new Map(unbroken.map((message) => [occasionOf(message), message]));
  const seen = new Set<string>();
  const ids = new Set<string>();
  const differences: string[] = [];
  for (const message of found) {
    const occasion = occasionOf(message);
    const same = wanted.get(occasion);
    if (seen.has(occasion)) differences.push(`Told twice: ${occasion}.`);
    else if (same === undefined) differences.push(`The unbroken pass does not tell: ${occasion}.`);
    else if (contentOf(same) !== contentOf(message)) differences.push(`Body or deliveries differ: ${occasion}.`);
    if (ids.has(message.message_id)) differences.push(`Two messages have the id ${message.message_id}.`);
    seen.add(occasion);
    ids.add(message.message_id);
  }
  return [...differences, ...[...wanted.keys()].filter((occasion) => !seen.has(occasion)).map((occasion) => `Lost: ${occasion}.`)];
}

/** What has one order: messages of a rule and symbol, and those of one kind about the packets of a symbol. Outboxes give none. */
function streamOf({ tenant_id: tenantId, event_kind: kind, symbol, occasion }: ToldMessage): string | undefined {
  if (symbol === '') return undefined;
  return kind === 'alert.triggered' ? occasion.split(' ').slice(0, 3).join(' ') : `${tenantId} ${kind} ${symbol}`;
}

function orderDifferences(unbroken: readonly ToldMessage[], found: readonly ToldMessage[]): string[] {
  const [wanted, told] = [streamsOf(unbroken), streamsOf(found)];
  return [...told.keys()]
    .filter((stream) => told.get(stream) !== wanted.get(stream))
    .map((stream) => `Another order or number: ${stream}.`);
}

function streamsOf(messages: readonly ToldMessage[]): Map<string, string> {
  const streams = new Map<string, string[]>();
  for (const message of messages) {
    const stream = streamOf(message);
    if (stream === undefined) continue;
    const known = streams.get(stream);
    if (known === undefined) streams.set(stream, [message.occasion]);
    else known.push(message.occasion);
  }
  return new Map([...streams].map(([stream, occasions]) => [stream, occasions.join('\n')]));
}

function standingDifferences(unbroken: readonly FoundStanding[], found: readonly FoundStanding[]): string[] {
  const nameOf = ({ rule_id: ruleId, symbol }: FoundStanding): string => `${ruleId} ${symbol}`;
  const wanted = new Map(unbroken.map((standing) => [nameOf(standing), standing]));
  const differences = found.flatMap((standing) => {
    const name = nameOf(standing);
    const same = wanted.get(name);
    wanted.delete(name);
    return [
      ...(same?.state === standing.state ? [] : [`Stands elsewhere: ${name}: at ${standing.state}, not ${same?.state}.`]),
      ...(same?.recent === standing.recent ? [] : [`Other transitions: ${name}: ${standing.recent}, not ${same?.recent}.`]),
    ];
  });
  return [...differences, ...[...wanted.keys()].map((name) => `Stands nowhere: ${name}.`)];
}

/** What holds for every rule whatever the packets: transitions rise by one, an episode has one trigger, and a recovery after it. */
export function episodeFaults({ messages }: Outcome): string[] {
  return [...alertsByRule(messages)].flatMap(([name, alerts]) => faultsOfRule(name, alerts));
}

function faultsOfRule(name: string, alerts: readonly ToldAlert[]): string[] {
  const triggered = new Set<string>();
  const recovered = new Set<string>();
  const faults: string[] = [];
  alerts.forEach(({ phase, episode_id: episode, transition }, index) => {
    if (transition !== index + 1) faults.push(`${name}: transition ${transition} is the one at place ${index + 1}.`);
    const told = phase === 'triggered' ? triggered : recovered;
    if (told.has(episode)) faults.push(`${name}: ${episode} is ${phase} twice.`);
    if (phase === 'recovered' && !triggered.has(episode)) faults.push(`${name}: ${episode} is recovered before it is triggered.`);
    told.add(episode);
  });
  return faults;
}
