import { PassThrough } from 'node:stream';
import { buildProgram } from '../src/program';

async function commandsFor(...args: readonly string[]): Promise<readonly string[]> {
  const io = {
    stdin: new PassThrough(),
    profileFile: '/',
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    cwd: '/',
    signal: new AbortController().signal,
    dataDir: '/',
  };
  const program = await buildProgram(args, io, () => undefined);
  return program.commands.map((command) => command.name());
}

test.each(['label', 'tenants', 'admin'])('a command line that begins with %s has that command alone', async (name) => {
  expect(await commandsFor(name, '--help')).toEqual([name]);
});

test.each([['--help'], ['help', 'label'], ['labl'], []])(
  'every command, each under its own name, for a command line of %j',
  async (...args) => {
    const names = await commandsFor(...args);
    expect(names.slice(0, 2)).toEqual(['login', 'whoami']);
    expect(names.at(-1)).toBe('admin');
    for (const name of names) expect(await commandsFor(name)).toEqual([name]);
  },
);

test('help lists operator commands below admin alone', async () => {
  const names = await commandsFor('--help');
  expect(names).toContain('admin');
  expect(names).not.toContain('tenants');
});

test.each(['constructor', 'toString'])('%s is no command', async (name) => {
  expect(await commandsFor(name)).toContain('login');
});
