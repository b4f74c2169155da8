import { counted } from '@market-state/packet-figures';
import type { CompactPacket } from '../../packets/board';
import { clockSpanBelow } from '../../time/clock';
import type { Chunk, ChunkReading, Readings } from './chunks';
import { packetWords, receiptWords } from './receipt-words';
import styles from './replay.module.css';

interface ReceiptsProps {
  readonly chunks: readonly Chunk[];
  readonly readings: Readings;
  readonly packets: readonly CompactPacket[];
}

/** What closed the replay of each chunk: whether it was whole, and what it has cost. */
export function Receipts({ chunks, readings, packets }: ReceiptsProps) {
  return (
    <section aria-label="Completeness of chunks">
      <h2>
        Completeness <span className={styles['soft']}>the receipt that closed the replay of each chunk</span>
      </h2>
      <ul className={styles['receipts']}>
        {chunks.map((chunk) => (
          <li key={chunk.index}>
            <span>{clockSpanBelow(chunk.startMs, chunk.endMs, 'time')}</span>
            <Receipt chunk={chunk} reading={readings.get(chunk.index)} packets={packets} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Receipt({
  chunk,
  reading,
  packets,
}: { readonly chunk: Chunk; readonly reading: ChunkReading | undefined } & Pick<ReceiptsProps, 'packets'>) {
  if (reading === undefined) return <span className={styles['soft']}>not read</span>;
  const { word, sentence } = receiptWords(reading);
  if (reading.state === 'reading') return <span className={styles['soft']}>{word}…</span>;
  return (
    <>
      <b>{word}</b>
      <span>
        {sentence} {packetWords(chunk, reading, packets)}; {counted(reading.credits, 'credit')}.
        {reading.receipt === null ? null : (
          <details>
            <summary>SHA-256 over its rows</summary>
            <code>{reading.receipt.rows_sha256}</code>
            {reading.receipt.gap_ids.map((id) => (
              <code key={id}>{id}</code>
            ))}
          </details>
        )}
      </span>
    </>
  );
}
