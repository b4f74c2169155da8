import { words } from '@market-state/packet-figures';
import { stateLabel } from '../../packets/words';
import { kindWords } from './webhook-words';

/** What a list says of a message. */
export interface MessageWords {
  readonly sentence: string;
  /** Null where it is of no symbol, or of several. */
  readonly symbol: string | null;
  /** The event of its packet; null where it is of none. */
  readonly eventId: string | null;
  readonly isSimulated: boolean;
}

interface Message {
  readonly type: string;
  readonly data: object;
  readonly meta: object;
}

/** A message in one line; of a kind that this version does not know it says the kind. */
export function messageWords({ type, data, meta }: Message): MessageWords {
  const fields: Readonly<Record<string, unknown>> = { ...data };
  const text = (name: string): string | null => (typeof fields[name] === 'string' ? fields[name] : null);
  const symbols = Array.isArray(fields['symbols']) ? fields['symbols'].map(String) : [];
  return {
    sentence: sentenceOf(type, text),
    symbol: text('symbol') ?? (symbols.length > 0 ? symbols.join(', ') : null),
    eventId: text('event_id'),
    isSimulated: 'synthetic' in meta && meta.synthetic === true,
  };
}

function sentenceOf(type: string, text: (name: string) => string | null): string {
  switch (type) {
    case 'alert.triggered':
      return `${text('watchlist_name') ?? 'an alert'}: ${words(text('phase') ?? '')}`;
    case 'state.changed':
      return `from ${stateLabel(text('previous_state') ?? '')} to ${stateLabel(text('state') ?? '')}`;
    case 'packet.created':
      return stateLabel(text('state') ?? '');
    case 'export.finished':
      return `${words(text('dataset') ?? 'an export')}: ${words(text('status') ?? '')}`;
    case 'message.exhausted':
      return `${text('event_kind') ?? 'a message'} could not be delivered to another endpoint`;
    default:
      return kindWords(type);
  }
}
