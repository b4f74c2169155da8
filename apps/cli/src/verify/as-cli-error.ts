import { SourceError } from '@market-state/labeler';
import { badInput, incomplete } from '../cli-error';

/** Does the work; what is wrong with a source is told to the user of a command. @throws CliError in place of SourceError */
export async function withCliErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    if (error.reason === 'incomplete') throw incomplete(...error.lines);
    const hints = error.reason === 'foreign' ? ['Lines name their schema; a venue recording becomes rows with "market-state rows".'] : [];
    throw badInput(...error.lines, ...hints);
  }
}
