import { Ribbon } from './ribbon';
import { sourceWords } from './source-words';

/** What of the data shown is not of a live venue, once for each kind; nothing where all of it is. */
export function SourceRibbon({ states }: { readonly states: readonly string[] }) {
  const kinds = [...new Set(states)].filter((state) => state !== 'live').map(sourceWords);
  if (kinds.length === 0) return null;
  return (
    <Ribbon>
      {kinds.map(({ word, sentence }) => (
        <span key={word}>
          <b>{word}</b> {sentence}{' '}
        </span>
      ))}
    </Ribbon>
  );
}
