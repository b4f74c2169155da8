import { StringDecoder } from 'node:string_decoder';
import { badInput } from '../cli-error';
import type { CliIo } from '../io/cli-io';

const LENGTH_MAX = 1_024;
const ENTER = /[\r\n\u0004]/;
const CTRL_C = '\u0003';
const BACKSPACE = /[\b\u007f]/;

/** A line that the user types without seeing it; away from a terminal, the first line of stdin. @throws CliError when there is none */
export async function readSecret(io: CliIo, prompt: string): Promise<string> {
  const isTyped = io.stdin.isTTY === true;
  if (isTyped) io.stderr.write(prompt);
  const text = (await (isTyped ? readTyped(io) : readFirstLine(io))).trim();
  if (text === '') throw badInput('No key came: type it at the prompt, or write it to stdin.');
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
