import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PacketResult, packetResultLine } from '@market-state/labeler';
import { type PacketChoice, packetChoices, packetFolder } from './packet-file';
import { describeLog, packetsOfLog } from './packet-logs';

// node --import @oxc-node/core/register tools/docs/src/packets/write-packets.ts
const logs = new Map(packetChoices.map((choice) => [JSON.stringify(choice.log), choice.log]));
mkdirSync(packetFolder(), { recursive: true });
for (const [key, log] of logs) {
  const wanted = packetChoices.filter((choice) => JSON.stringify(choice.log) === key);
  const found = new Map<PacketChoice, PacketResult>();
  for (const result of packetsOfLog(log)) {
    for (const choice of wanted) if (result.windowEndMs === Date.parse(choice.windowEndUtc)) found.set(choice, result);
    if (found.size === wanted.length) break;
  }
  for (const choice of wanted) write(choice, found.get(choice));
}

/** Keeps the row on one line, because its digests cover these bytes. */
function write(choice: PacketChoice, result: PacketResult | undefined): void {
  const { kind, word, log, windowEndUtc } = choice;
  const described = describeLog(log);
  if (result === undefined) throw new Error(`${described.log}: no packet at ${windowEndUtc}`);
  const is = kind === 'states' ? result.packet.state : result.packet.event_class;
  if (is !== word) throw new Error(`${described.log}: the packet at ${windowEndUtc} is ${is}, not ${word}`);
  const head = JSON.stringify({ word, kind, source: { ...described, window_end_utc: windowEndUtc } }, null, 2);
  writeFileSync(join(packetFolder(), `${word}.json`), `${head.slice(0, -2)},\n  "row": ${packetResultLine(result)}\n}\n`);
  process.stdout.write(`${word}: ${described.log}, ${windowEndUtc}\n`);
}
