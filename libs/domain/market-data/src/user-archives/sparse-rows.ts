import type { MessageFile } from '../recordings/open-messages';
import type { Batch, Received } from '../recordings/play-messages';
import type { RecordingNotes } from '../recordings/recording-notes';

interface SparseKind<Message> {
  readonly name: string;
  readonly files: readonly MessageFile<Message>[];
}

/**
 * Inserts rows of sparse kinds, such as a month of funding rates, by receive time. The newest row before the first of
 * the others is known at the start; older ones and those after the last are noted and left out. Without others, all are
 * used.
 */
export async function* withSparse<Message>(
  dense: AsyncIterable<Batch<Message>>,
  kinds: readonly SparseKind<Message>[],
  notes: RecordingNotes,
): AsyncGenerator<Batch<Message>> {
  const rows: Row<Message>[] = [];
  for (const kind of kinds) rows.push(...(await rowsOf(kind)));
  rows.sort((a, b) => a.received.receivedMs - b.received.receivedMs);
  let next: number | undefined;
  for await (const batch of dense) {
    const merged: (Received<Message> | undefined)[] = [];
    for (const received of batch) {
      if (received !== undefined) {
        if (next === undefined) {
          next = rows.findIndex((row) => row.received.receivedMs > received.receivedMs);
          if (next < 0) next = rows.length;
          merged.push(...knownAt(received.receivedMs, rows.slice(0, next), notes));
        }
        for (let row = rows[next]; row !== undefined && row.received.receivedMs <= received.receivedMs; row = rows[++next])
          merged.push(row.received);
      }
      merged.push(received);
    }
    yield merged;
  }
  if (next === undefined) yield rows.map(({ received }) => received);
  else for (const { kind } of rows.slice(next)) noteOutside(notes, kind);
}

interface Row<Message> {
  readonly kind: string;
  readonly received: Received<Message>;
}

async function rowsOf<Message>({ name, files }: SparseKind<Message>): Promise<Row<Message>[]> {
  const rows: Row<Message>[] = [];
  for (const file of files) {
    for await (const batch of file.messages())
      for (const received of batch) if (received !== undefined) rows.push({ kind: name, received });
  }
  return rows;
}

function knownAt<Message>(startMs: number, before: readonly Row<Message>[], notes: RecordingNotes): Received<Message>[] {
  const newest = new Map(before.map((row) => [row.kind, row]));
  for (const row of before) if (newest.get(row.kind) !== row) noteOutside(notes, row.kind);
  return [...newest.values()].map(({ received }) => ({ ...received, receivedMs: startMs }));
}

function noteOutside(notes: RecordingNotes, kind: string): void {
  notes.add(
    `outside ${kind}`,
    '',
    (total) => `${kind}: ${total} ${total === 1 ? 'row lies' : 'rows lie'} outside the time of the other files, not used`,
  );
}
