import { StreamEnded } from '@market-state/client';
import { useEffect, useEffectEvent, useState } from 'react';
import { noteServiceClock } from '../service/clock';
import { service } from '../service/client';
import { createStreamCount, creditsOf, useRunningCost } from '../service/meter';
import { followShared } from '../service/shared-stream';
import { useIsSeen } from '../service/visibility';
import { PACKET_MS, type CompactPacket } from './board';

/** Most credits that one stream may cost before it ends by itself: some days of one open page. */
const CREDITS_MAX = 5_000;
const HOUR_MS = 3_600_000;

/** What came of a stream beside packets. */
export interface StreamStanding {
  readonly state: 'opening' | 'open' | 'paused' | 'failed';
  /** Messages that this reader was too slow for; they are asked for again. */
  readonly skippedTotal: number;
  readonly failure: unknown;
}

const OPENING: StreamStanding = { state: 'opening', skippedTotal: 0, failure: null };

/** Follows the packets of some symbols while the page is seen; after a pause it goes on from the last one had. */
export function usePacketStream(
  symbols: readonly string[],
  onPacket: (packet: CompactPacket, receivedAtMs: number) => void,
): StreamStanding {
  const isSeen = useIsSeen();
  const names = symbols.join(',');
  const [standing, setStanding] = useState(OPENING);
  const take = useEffectEvent(onPacket);
  /** Of the last message had, by the symbols that it is of. */
  const [ids] = useState(() => new Map<string, string>());
  useRunningCost('packets', names === '' || !isSeen ? null : creditsOf((symbols.length * HOUR_MS) / PACKET_MS));

  useEffect(() => {
    if (names === '') return undefined;
    if (!isSeen) {
      setStanding((before) => ({ ...before, state: 'paused' }));
      return undefined;
    }
    setStanding((before) => ({ ...before, state: 'opening', failure: null }));
    const stop = new AbortController();
    void followShared(
      {
        name: `packets:${names}`,
        open: (signal) => {
          const wanted = names.split(',');
          const resumeFrom = ids.get(names);
          return counted(service.stream.packets({ symbols: wanted, view: 'compact', resumeFrom }, { signal, maxCredits: CREDITS_MAX }));
        },
        onMessage(message) {
          setStanding((before) => (before.state === 'open' ? before : { ...before, state: 'open' }));
          if (message.type === 'packet') {
            ids.set(names, message.id);
            noteServiceClock(Date.parse((message.data as CompactPacket).window_end_utc));
            take(message.data as CompactPacket, Date.now());
          } else if (message.type === 'backfill') take(message.data as CompactPacket, Date.now());
          else if (message.type === 'skipped')
            setStanding((before) => ({ ...before, skippedTotal: before.skippedTotal + message.data.row_total }));
          else if (message.type === 'end')
            setStanding((before) => ({ ...before, state: 'failed', failure: new StreamEnded(message.code, message.resumeId, undefined) }));
        },
        onFailure: (failure) => setStanding((before) => ({ ...before, state: 'failed', failure })),
      },
      stop.signal,
    );
    return () => stop.abort();
  }, [names, isSeen, ids]);

  return standing;
}

async function* counted<Message>(messages: AsyncIterable<Message>): AsyncGenerator<Message, void, undefined> {
  const count = createStreamCount();
  for await (const message of messages) {
    count();
    yield message;
  }
}
