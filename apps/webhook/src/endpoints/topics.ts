import type { Topic } from '../store/endpoints';
import { type Endpoint, SYMBOL_KINDS } from './endpoint';

/** What an endpoint subscribes. Tests are sent to whoever asks for them: they need no subscription. */
export function topicsOf({ eventKinds, symbols }: Pick<Endpoint, 'eventKinds' | 'symbols'>): Topic[] {
  return eventKinds
    .filter((eventKind) => eventKind !== 'webhook.test')
    .flatMap((eventKind): Topic[] =>
      SYMBOL_KINDS.has(eventKind) && symbols.length > 0 ? symbols.map((symbol) => ({ eventKind, symbol })) : [{ eventKind, symbol: '' }],
    );
}

/** The symbols whose evaluators read what this endpoint subscribes; empty stands for all. */
export function symbolsToldOf({ symbols }: Pick<Endpoint, 'symbols'>): readonly string[] {
  return symbols.length > 0 ? symbols : [''];
}
