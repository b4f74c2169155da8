import { encodeEvent, LivePlayer } from '@market-state/market-data';
import { coinmMessages, type LiveMessages, mixOf, simulatedMessages } from './messages';

/**
 * CPU time from the messages of a live connection, all subscribed kinds, to encoded log entries, compared with only
 * JSON.parse of the same messages in the same run.
 */

const SIMULATED_TOTAL = 30_000;
const ROUNDS = 7;
const GOAL_PER_SECOND = 40_000;

async function main(): Promise<void> {
  measure(await simulatedMessages(SIMULATED_TOTAL));
  measure(coinmMessages());
}

function measure(live: LiveMessages): void {
  const { name, messages } = live;
  const parseMs: number[] = [];
  const ingestMs: number[] = [];
  let entries = 0;
  let rejected = '';
  for (let round = 0; round < ROUNDS; round++) {
    let startedMs = cpuMs();
    for (const { line } of messages) JSON.parse(line.slice(line.indexOf(' ') + 1));
    parseMs.push(cpuMs() - startedMs);
    startedMs = cpuMs();
    ({ entries, rejected } = ingest(live));
    ingestMs.push(cpuMs() - startedMs);
  }
  const [parse, ours] = [median(parseMs), median(ingestMs)];
  const rate = Math.round((messages.length / ours) * 1_000).toLocaleString('en');
  console.log(
    `${name}: ${rate} messages/s per core (goal ${GOAL_PER_SECOND.toLocaleString('en')}), ratio to JSON.parse alone ` +
      `${(ours / parse).toFixed(2)}; ${messages.length} messages to ${entries} entries`,
  );
  console.log(`  ${mixOf(messages)}${rejected === '' ? '' : `; rejected: ${rejected}`}`);
}

function ingest({ instrument, messages }: LiveMessages): { entries: number; rejected: string } {
  const startMs = messages[0]?.receivedMs ?? 0;
  const player = new LivePlayer(instrument, { epoch: 1, firstOrdinal: 1, opening: 'first', openingStartMs: 0, clockMs: startMs });
  player.connected(startMs);
  let entries = 0;
  let bytes = 0;
  for (const { receivedMs, line } of messages) {
    player.accept(receivedMs, line);
    for (const { event } of player.take()) {
      bytes += encodeEvent(event).byteLength;
      entries++;
    }
  }
  if (bytes === 0) throw new Error(`No entry of ${instrument.symbol} reached the log.`);
  const rejections = Object.entries(player.rejections).filter(([, count]) => count > 0);
  return { entries, rejected: rejections.map(([reason, count]) => `${reason} ${count}`).join(', ') };
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
