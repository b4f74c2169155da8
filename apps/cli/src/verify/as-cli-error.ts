import { SourceError } from '@market-state/labeler';
import { badInput, incomplete } from '../cli-error';

/** @throws CliError in place of SourceError */
export async function withCliErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    if (error.reason === 'incomplete') throw incomplete(...error.lines);
    const hints = error.reason === 'foreign' ? ['Every line must name its schema. Convert venue recordings with "market-state rows".'] : [];
    throw badInput(...error.lines, ...hints);
  }
}
