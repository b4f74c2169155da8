import { StringDecoder } from 'node:string_decoder';
import { ForbiddenError, MarketState } from '@market-state/client';
import { CliCommand } from '../arguments/cli-command';
import { badInput, EXIT, type ExitCode } from '../cli-error';
import { type AccessOrder, openAccess, writeProfile } from '../client/access';
import { asCliError } from '../client/open-service';
import { runClient } from '../client/run-client';
import { type ClientSettings, readClientSettings, readServiceSettings, withClientOptions, withServiceOptions } from '../client/settings';
import type { CliIo } from '../io/cli-io';
import { withOutput } from '../io/line-output';
import { writeObject } from '../output/row-writer';
import { formatOf, readResultFormat, type ResultFormat, withResultOption, writeResult } from '../output/settings';

const SOURCES = {
  environment: 'MARKET_STATE_API_KEY',
  profile: 'login profile',
  demo: 'demo key of the system on this machine',
  none: 'no key',
};

export function whoamiCommand(): CliCommand {
  return withClientOptions(new CliCommand('whoami'))
    .summary('show the service, tenant, plan and credits of the current key')
    .description('Shows the service that commands call, the source of the key, and the tenant it belongs to. Free.')
    .runs<ClientSettings>((_operands, options, fault) => readClientSettings(options, fault), whoami);
}

function whoami(settings: ClientSettings, io: CliIo): Promise<ExitCode> {
  return runClient(io, settings, async ({ ms, access }) => {
    const { data } = await ms.account.me({ signal: io.signal });
    const { tenant, plan, scopes, key_id: keyId, balances } = data;
    const left = (kind: string): number | null => balances.find(({ credit_kind: each }) => each === kind)?.available ?? null;
    const said = {
      service: access.url,
      key_from: access.keySource === 'profile' ? io.profileFile : SOURCES[access.keySource],
      key_id: keyId,
      tenant: tenant.name,
      tenant_id: tenant.tenant_id,
      plan: plan?.plan_id ?? null,
      scopes,
      market_state_credits: left('market_state'),
      export_credits: left('export'),
    };
    await withOutput(io, undefined, (output) => writeObject(output, said, formatOf(settings, io.stdout), settings.fields));
    return EXIT.done;
  });
}

const LENGTH_MAX = 1_024;
const ENTER = /[\r\n\u0004]/;
const CTRL_C = '\u0003';
const BACKSPACE = /[\b\u007f]/;

/** Without echo; the first line of stdin if that is not a terminal. @throws CliError if there is none */
export async function readSecret(io: CliIo, prompt: string): Promise<string> {
  const isTyped = io.stdin.isTTY === true;
  if (isTyped) io.stderr.write(prompt);
  const text = (await (isTyped ? readTyped(io) : readFirstLine(io))).trim();
  if (text === '') throw badInput('No key given. Type it at the prompt or write it to stdin.');
  return text;
}

async function readFirstLine({ stdin, signal }: CliIo): Promise<string> {
  let text = '';
  const decoder = new StringDecoder('utf8');
  const stop = (): unknown => stdin.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of stdin) {
      text += decoder.write(Buffer.from(chunk as Uint8Array));
      if (text.includes('\n') || text.length > LENGTH_MAX) break;
    }
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return text.split(/\r?\n/)[0] ?? '';
}

function readTyped({ stdin, stderr }: CliIo): Promise<string> {
  stdin.setRawMode?.(true);
  return new Promise((resolve) => {
    let text = '';
    const end = (typed: string): void => {
      stdin.off('data', take);
      stdin.setRawMode?.(false);
      stdin.pause();
      stderr.write('\n');
      resolve(typed);
    };
    const take = (chunk: Uint8Array): void => {
      for (const letter of Buffer.from(chunk).toString('utf8')) {
        if (letter === CTRL_C) {
          end('');
          process.kill(process.pid, 'SIGINT');
          return;
        }
        if (ENTER.test(letter)) return end(text);
        text = BACKSPACE.test(letter) ? text.slice(0, -1) : text + letter;
      }
    };
    stdin.on('data', take);
    stdin.resume();
  });
}

interface LoginSettings extends AccessOrder {
  readonly format: ResultFormat;
}

/** Saves the service and key only after a successful call. */
async function logIn({ format, ...order }: LoginSettings, io: CliIo): Promise<ExitCode> {
  const { url } = await openAccess(io, order);
  const apiKey = await readSecret(io, `API key for ${url}: `);
  try {
    const whose = await whoseKey(new MarketState({ baseUrl: url, apiKey }), io.signal);
    await writeProfile(io.profileFile, { url, apiKey });
    io.stderr.write(`${whose} at ${url}. Saved to ${io.profileFile}.\n`);
    writeResult(io, format, { service: url, profile: io.profileFile }, []);
  } catch (error) {
    throw asCliError(error, url);
  }
  if (io.apiKey !== undefined) io.stderr.write('MARKET_STATE_API_KEY is set and overrides the saved key.\n');
  return EXIT.done;
}

/** A key without the scope `account` can't read its tenant; a free call checks it. */
async function whoseKey(ms: MarketState, signal: AbortSignal): Promise<string> {
  try {
    const { data } = await ms.account.me({ signal });
    return `Key of ${data.tenant.name}, plan ${data.plan?.plan_id ?? 'none'},`;
  } catch (error) {
    if (!(error instanceof ForbiddenError)) throw error;
    await ms.catalog.get({}, { signal });
    return 'The key works but lacks the scope account; logged in';
  }
}

export function loginCommand(io: CliIo): CliCommand {
  return withResultOption(withServiceOptions(new CliCommand('login')))
    .summary('save a service and API key for later commands')
    .description(
      'Prompts for an API key without echo, or reads it from stdin. Checks it with a free call, then saves it to a profile that only you can ' +
        `read: ${io.profileFile}. MARKET_STATE_URL and MARKET_STATE_API_KEY take precedence.`,
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ market-state login --url https://api.example.com\n  $ market-state login --url http://127.0.0.1:8080 < key-file\n',
    )
    .runs<LoginSettings>((operands, options, fault) => {
      if (operands.length > 0) fault('takes no arguments: a key on the command line is visible to other users of this machine');
      return { ...readServiceSettings(options, fault), format: readResultFormat(options, fault) };
    }, logIn);
}
