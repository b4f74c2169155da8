import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { stdin } from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { CliCommand, type Fault } from '../arguments/cli-command';
import { numberOption, type Options, serviceUrlOption, textOption } from '../arguments/values';
import { badInput, EXIT, type ExitCode, incomplete } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { openAccess } from '../client/access';

const CREDITS = 200;
const CREDITS_MAX = 1_000_000;

interface McpSettings {
  readonly url?: string;
  readonly dataDir?: string;
  readonly maxCredits: number;
  readonly allowExports: boolean;
}

/** Interface of `dist/mcp-stdio.cjs`: the MCP server is a separate app, loaded on demand. */
interface McpProgram {
  serveOverStdio(options: {
    readonly baseUrl: string;
    readonly apiKey: string;
    readonly allowExports: boolean;
    readonly maxCredits: number;
    readonly stdin: Readable;
    readonly stdout: Writable;
    readonly say: (line: string) => void;
    readonly signal: AbortSignal;
  }): Promise<void>;
}

export function mcpCommand(): CliCommand {
  return new CliCommand('mcp')
    .summary('run an MCP server over stdin and stdout')
    .description(
      'Meant to be started by an agent, not by hand. Serves the Model Context Protocol until stdin closes. All calls together cost at most ' +
        '--max-credits. Uses MARKET_STATE_API_KEY, else the login profile, else the demo key of the system on this machine.',
    )
    .option('--url <address>', 'service to call (default: the system on this machine)')
    .option('--max-credits <credits>', `most credits all calls together may spend (default: ${CREDITS})`)
    .option('--allow-exports', 'also offer the tool that creates exports, if the key has the scope export')
    .option('--data-dir <folder>', 'data folder of the running system')
    .addHelpText('after', '\nExample:\n  $ market-state mcp --url https://api.example.com --max-credits 50\n')
    .runs<McpSettings>(readSettings, serve);
}

function readSettings(operands: readonly string[], options: Options, fault: Fault): McpSettings {
  if (operands.length > 0) fault(`takes no arguments: ${operands.join(', ')}`);
  return {
    url: serviceUrlOption(options, fault),
    dataDir: textOption(options, 'dataDir'),
    maxCredits: numberOption(options, 'maxCredits', { min: 0, max: CREDITS_MAX, integer: true }, fault) ?? CREDITS,
    allowExports: options['allowExports'] === true,
  };
}

async function serve({ url, dataDir, ...limits }: McpSettings, io: CliIo): Promise<ExitCode> {
  const { url: baseUrl, apiKey } = await openAccess(io, { url, dataDir });
  if (apiKey === undefined) throw badInput('No API key: set MARKET_STATE_API_KEY or run "market-state login".');
  const file = join(io.programFolder ?? '', 'mcp-stdio.cjs');
  if (!existsSync(file)) throw incomplete(`${file} is missing: run "npm start" or "npm test" once.`);
  const { serveOverStdio } = (await import(pathToFileURL(file).href)) as McpProgram;
  const say = (line: string): void => void io.stderr.write(`market-state mcp: ${line}\n`);
  await serveOverStdio({ ...limits, baseUrl, apiKey, stdin, stdout: io.stdout, say, signal: io.signal });
  return EXIT.done;
}
