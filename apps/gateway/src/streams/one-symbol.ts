import { formatPosition, resumeIdOf } from './position';
import type { StreamSource } from '../serving/answers/handler';
import { renderedBytes } from './frame';
import { createPieceMaker } from './piece-maker';
import { renderSkipped } from './skipped';
import type { SymbolReader } from './symbol-reader';

/** A stream of one symbol: its ids are the positions in it. */
export function oneSymbol(reader: SymbolReader): StreamSource {
  const { symbol, start } = reader;
  return {
    heartbeatFirst: true,
    startId: resumeIdOf(start),
    async *pieces(signal) {
      const maker = createPieceMaker();
      for await (const { messages, position, skipped } of reader.batches(signal)) {
        for (const message of messages) maker.add(renderedBytes(message.rendered, message.position));
        if (skipped !== null) {
          const span = { symbol, fromId: formatPosition(skipped.from), toId: formatPosition(skipped.to) };
          maker.add([renderSkipped(skipped, span)]);
          maker.skip(skipped.rowTotal + skipped.gapTotal);
        }
        yield maker.make(resumeIdOf(position));
      }
    },
    feedClockMs: () => reader.feedClockMs(),
    sourceKinds: () => [reader.sourceKind()],
    close: () => reader.close(),
  };
}
