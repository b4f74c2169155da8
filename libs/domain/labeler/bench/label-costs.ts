import { decodeEvent } from '@market-state/market-data';
import { createState, loadPolicy, reduce } from '../src/index';
import { dayLog } from './day-log';

/**
 * `npx tsx libs/domain/labeler/bench/label-costs.ts`: CPU of the labeler for a packet, apart from that for an event that gives none, of some
 * hours of one symbol. What is decoded is counted with the event. The last line is `{"packetMs":…,"eventUs":…}`.
 */
const HOURS = 3;
/** Until code has been compiled. */
const WARM_HOURS = 1;

const state = createState('BTCUSD-PERP', loadPolicy());
let [packetMs, packets, eventMs, events, minutes] = [0, 0, 0, 0, 0];

for (const batch of dayLog(HOURS)) {
  const isCounted = ++minutes > WARM_HOURS * 60;
  for (const bytes of batch) {
    const startedMs = performance.now();
    const results = reduce(state, decodeEvent(bytes));
    const tookMs = performance.now() - startedMs;
    if (!isCounted) continue;
    if (results.length > 0) {
      packetMs += tookMs;
      packets += results.length;
    } else {
      eventMs += tookMs;
      events += 1;
    }
  }
}

process.stdout.write(`${JSON.stringify({ packetMs: packetMs / packets, eventUs: (eventMs * 1_000) / events })}\n`);
