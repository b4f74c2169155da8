import { decodeEvent } from '@market-state/market-data';
import { createState, loadPolicy, reduce } from '../src/index';
import { dayLog } from './day-log';

/**
 * `node --import @oxc-node/core/register libs/domain/labeler/bench/label-day.ts [hours]`: CPU time of decoding and
 * labeling one symbol's stored day.
 */
const hours = Number(process.argv[2] ?? 24);
const state = createState('BTCUSD-PERP', loadPolicy());
let cpuMicroseconds = 0;
let peakRssBytes = 0;
let entries = 0;
let packets = 0;
let lineageDigest = '';

for (const batch of dayLog(hours)) {
  const before = process.cpuUsage();
  for (const bytes of batch) {
    for (const result of reduce(state, decodeEvent(bytes))) {
      packets++;
      lineageDigest = result.lineageDigest;
    }
  }
  const { user, system } = process.cpuUsage(before);
  cpuMicroseconds += user + system;
  entries += batch.length;
  peakRssBytes = Math.max(peakRssBytes, process.memoryUsage.rss());
}

process.stdout.write(`${hours} h: ${entries} entries → ${packets} packets, the last with lineage ${lineageDigest}\n`);
process.stdout.write(
  `${(cpuMicroseconds / 1e6).toFixed(1)} s CPU, ${(cpuMicroseconds / 1000 / packets).toFixed(2)} ms per packet, peak ` +
    `${(peakRssBytes / 2 ** 20).toFixed(0)} MiB resident\n`,
);
