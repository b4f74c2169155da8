import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packetResultLine, type PacketResult } from '@market-state/labeler';
import { packetChoices, type PacketChoice } from './choices';
import { packetFolder } from './packet-file';
import { describeLog, packetsOfLog } from './packets-of-log';

// Makes the packets of docs/site/packets: node --import @oxc-node/core/register tools/docs/src/packets/write-packets.ts
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

/** The row stands on one line, in the bytes that its digests are of. */
function write(choice: PacketChoice, result: PacketResult | undefined): void {
  const { kind, word, log, windowEndUtc } = choice;
  const described = describeLog(log);
  if (result === undefined) throw new Error(`${described.log}: there is no packet of ${windowEndUtc}`);
  const is = kind === 'states' ? result.packet.state : result.packet.event_class;
  if (is !== word) throw new Error(`${described.log}: the packet of ${windowEndUtc} is ${is}, not ${word}`);
  const head = JSON.stringify({ word, kind, source: { ...described, window_end_utc: windowEndUtc } }, null, 2);
  writeFileSync(join(packetFolder(), `${word}.json`), `${head.slice(0, -2)},\n  "row": ${packetResultLine(result)}\n}\n`);
  process.stdout.write(`${word}: ${described.log}, ${windowEndUtc}\n`);
}
