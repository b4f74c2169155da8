import { type EventLog, LOG_START } from '@market-state/event-log';
import { decodeEvent, LogTailScan, type LogTail } from '@market-state/market-data';

const batchEntries = 2_000;

/** What the whole log of a live symbol says to the feed that carries it on: a little over an hour of entries. */
export async function readLogTail(eventLog: EventLog, symbol: string): Promise<LogTail> {
  const scan = new LogTailScan();
  for (let after = LOG_START; ; ) {
    const entries = await eventLog.read(symbol, after, { count: batchEntries });
    for (const { payload } of entries) scan.accept(decodeEvent(payload));
    const last = entries.at(-1);
    if (last === undefined) return scan.tail();
    after = { epoch: last.epoch, ordinal: last.ordinal };
  }
}
