import { type FileIndex, fileSource, indexFiles } from '@market-state/labeler';
import { badInput } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { lineFile } from '../io/file-lines';
import { count } from '../io/instant';
import type { Progress } from '../io/progress';
import type { Keys, VerifyEach } from './verify-each';
import type { VerifySettings } from './verify-settings';

/** Verifies the packets of files from the rows beside them. Keys that stand in the files count; without any, signatures are not checked. */
export async function verifyFiles(settings: VerifySettings, io: CliIo, keys: Keys, progress: Progress, verify: VerifyEach): Promise<void> {
  const index = await indexFiles(
    settings.files.map((name) => lineFile(name, io)),
    (name, lineTotal) => progress.tell(() => `${name}: ${count(lineTotal)} lines`),
  );
  const symbols = symbolsOf(index, settings.symbol);
  const all = new Map([...index.keys, ...keys]);
  for (const symbol of symbols) await verify(fileSource(index, symbol, settings.span), all.size === 0 ? null : all);
}

function symbolsOf(index: FileIndex, asked: string | undefined): readonly string[] {
  const symbols = [...index.packets.keys()].sort();
  if (symbols.length === 0) throw badInput('The files have no packets: no line of market_state_packet_row.v1.');
  if (asked !== undefined && !symbols.includes(asked))
    throw badInput(`The files have no packets of ${asked}, only of ${symbols.join(', ')}.`);
  const chosen = asked === undefined ? symbols : [asked];
  const faults = chosen.filter((symbol) => !index.rowFiles.has(symbol));
  if (faults.length > 0)
    throw badInput(...faults.map((symbol) => `The files have packets of ${symbol} but none of its rows: no line of market_state_row.v1.`));
  return chosen;
}
