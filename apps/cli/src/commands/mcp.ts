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

/** What `dist/mcp-stdio.cjs` offers: the MCP server is an app of its own, which this program loads when it is asked for. */
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

/** `mcp`: the tools of the MCP server for an agent that starts this command. */
export function mcpCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  return new CliCommand('mcp')
    .summary('tools for an agent, by the Model Context Protocol over stdin and stdout')
    .description(
      'Is started by an agent, not by hand: answers the Model Context Protocol until its input ends. All its calls together cost at most ' +
        '--max-credits. The key is MARKET_STATE_API_KEY, else that of "market-state login", else the demo key of a system on this machine.',
    )
    .option('--url <address>', 'service to call; without it, the one that runs on this machine')
    .option('--max-credits <credits>', `most credits that its calls may cost together; ${CREDITS} unless given`)
    .option('--allow-exports', 'offer the tool that orders exports too, if the key has the scope export')
    .option('--data-dir <folder>', 'data folder of the running system')
    .addHelpText('after', '\nExample:\n  $ market-state mcp --url https://api.example.com --max-credits 50\n')
    .runs<McpSettings>(readSettings, (settings) => serve(settings, io), onExitCode);
}

function readSettings(operands: readonly string[], options: Options, fault: Fault): McpSettings {
  if (operands.length > 0) fault(`it takes no arguments: ${operands.join(', ')}`);
  return {
    url: serviceUrlOption(options, fault),
    dataDir: textOption(options, 'dataDir'),
    maxCredits:
      numberOption({ 'max-credits': options['maxCredits'] }, 'max-credits', { min: 0, max: CREDITS_MAX, integer: true }, fault) ?? CREDITS,
    allowExports: options['allowExports'] === true,
  };
}

async function serve({ url, dataDir, ...limits }: McpSettings, io: CliIo): Promise<ExitCode> {
  const { url: baseUrl, apiKey } = await openAccess(io, { url, dataDir });
  if (apiKey === undefined) throw badInput('There is no key: set MARKET_STATE_API_KEY, or run "market-state login" once.');
  const file = join(io.programFolder ?? '', 'mcp-stdio.cjs');
  if (!existsSync(file)) throw incomplete(`There is no ${file}: run "npm start" or "npm test" once.`);
  const { serveOverStdio } = (await import(pathToFileURL(file).href)) as McpProgram;
  const say = (line: string): void => void io.stderr.write(`market-state mcp: ${line}\n`);
  await serveOverStdio({ ...limits, baseUrl, apiKey, stdin, stdout: io.stdout, say, signal: io.signal });
  return EXIT.done;
}
