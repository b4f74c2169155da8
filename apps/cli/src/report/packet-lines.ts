import {
  CHECKPOINT_SCHEMA,
  type LineFile,
  LineError,
  PACKET_ROW_SCHEMA,
  readPacketRow,
  SIGNING_KEY_SCHEMA,
  type PacketRow,
} from '@market-state/labeler';
import { EVENT_ROW_SCHEMA } from '@market-state/market-data';
import { badInput } from '../cli-error';

/** Schemas of lines that may stand between packets. */
const OTHER_SCHEMAS: readonly unknown[] = [EVENT_ROW_SCHEMA, CHECKPOINT_SCHEMA, SIGNING_KEY_SCHEMA];
const OUR_SCHEMAS: readonly unknown[] = [PACKET_ROW_SCHEMA, ...OTHER_SCHEMAS];
/** How rows begin as we write them: most lines of a mixed file, and not to be parsed to be passed over. */
const EVENT_ROW_START = `{"schema":"${EVENT_ROW_SCHEMA}",`;

/** Whether the files are lines of ours with a packet among them. */
export async function holdPackets(files: readonly LineFile[]): Promise<boolean> {
  const [first] = files;
  if (first === undefined || !(await holdsOurLines(first))) return false;
  for (const file of files) {
    for await (const rows of packetRows(file)) if (rows.length > 0) return true;
  }
  return false;
}

async function holdsOurLines(file: LineFile): Promise<boolean> {
  for await (const lines of file.lines) {
    const line = lines.find((text) => text !== '');
    if (line !== undefined) return OUR_SCHEMAS.includes(schemaOf(line));
  }
  return false;
}

function schemaOf(line: string): unknown {
  try {
    return schemaNamed(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function schemaNamed(json: unknown): unknown {
  return (json as { readonly schema?: unknown } | null)?.schema;
}

/** The packet rows of a file, a batch of lines at a time. Throws CliError (bad input) for a line that is none of ours. */
export async function* packetRows(file: LineFile): AsyncGenerator<readonly PacketRow[]> {
  let lineNumber = 0;
  for await (const lines of file.lines) {
    const rows: PacketRow[] = [];
    for (const line of lines) {
      lineNumber++;
      if (line === '' || line.startsWith(EVENT_ROW_START)) continue;
      const row = packetRow(line, `${file.name}:${lineNumber}`);
      if (row !== undefined) rows.push(row);
    }
    yield rows;
  }
}

/** Undefined for a line of another schema of ours. */
function packetRow(line: string, place: string): PacketRow | undefined {
  try {
    const json: unknown = JSON.parse(line);
    return OTHER_SCHEMAS.includes(schemaNamed(json)) ? undefined : readPacketRow(json);
  } catch (error) {
    if (error instanceof SyntaxError) throw badInput(`${place}: the line is not JSON (${error.message})`);
    if (error instanceof LineError) throw badInput(...error.faults.map((fault) => `${place}: ${fault}`));
    throw error;
  }
}
