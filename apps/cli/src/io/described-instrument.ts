import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type DescribedInstrument, InstrumentDescriptionError, readInstrumentDescription } from '@market-state/market-data';
import { badInput } from '../cli-error';

/** `--instrument`, which every command that reads recordings takes. */
export const INSTRUMENT_OPTION = [
  '--instrument <description>',
  'the instrument of CSV files, or one that is not in the instrument table: symbol=SOLUSD-PERP,venue=kraken,… or a JSON file',
] as const;

/**
 * What `--instrument` describes: pairs, or the JSON of a file.
 * @throws CliError (bad input) with every fault
 */
export async function describedInstrument(text: string | undefined, cwd: string): Promise<DescribedInstrument | undefined> {
  if (text === undefined) return undefined;
  const isFile = !text.includes('=') && !text.trimStart().startsWith('{');
  const said = isFile ? await fileText(text, cwd) : text;
  try {
    if (isFile && !said.trimStart().startsWith('{')) throw new InstrumentDescriptionError(['is no JSON object']);
    return readInstrumentDescription(said);
  } catch (error) {
    if (error instanceof InstrumentDescriptionError)
      throw badInput(...error.faults.map((fault) => `--instrument${isFile ? ` ${text}` : ''}: ${fault}`));
    throw error;
  }
}

async function fileText(name: string, cwd: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, name), 'utf8');
  } catch {
    throw badInput(`--instrument: ${name} is no description as symbol=SOLUSD-PERP,venue=kraken and no file that can be read`);
  }
}
