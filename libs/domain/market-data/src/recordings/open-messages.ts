import type { InstrumentRow, PlayedInstrument } from '../played-instrument';
import type { OpenedRecording } from './format';
import { type Batch, type MessageKind, playMessages } from './play-messages';
import { playPass } from './play-pass';
import type { RecordingNotes } from './recording-notes';
import { spanOfMessages } from './span-of-messages';

/** A recording of messages, ready to be read once. */
export function openMessages<Message>(
  symbols: readonly string[],
  instrument: PlayedInstrument,
  batches: AsyncIterable<Batch<Message>>,
  kind: MessageKind<Message>,
  notes: RecordingNotes,
): OpenedRecording {
  const { symbol, venueInstrument } = instrument;
  return {
    symbol,
    symbols,
    instrument,
    ...playMessages(batches, instrument, kind, notes),
    span: () => spanOfMessages(batches, venueInstrument, (message) => kind.exchangeTimesOf(message)),
    pass: (place) => playPass(batches, { ...place, instrument }, kind.normalizerOf),
  };
}

/** The facts of the table's row for recordings of this instrument, where there is one; its channels are those of the recording. */
export function tableFacts(facts: PlayedInstrument, rows: readonly InstrumentRow[]): PlayedInstrument {
  const { symbol, venue, venueInstrument } = facts;
  const row = rows.find(
    (each) => each.feed === 'recording' && each.symbol === symbol && each.venue === venue && each.venueInstrument === venueInstrument,
  );
  return row === undefined ? facts : { ...row, channels: facts.channels };
}
