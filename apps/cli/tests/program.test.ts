import { commandTree } from './run';

async function commandsFor(...args: readonly string[]): Promise<readonly string[]> {
  const program = await commandTree(...args);
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

test('help lists operator commands only below admin', async () => {
  const names = await commandsFor('--help');
  expect(names).toContain('admin');
  expect(names).not.toContain('tenants');
});

test.each(['constructor', 'toString'])('%s is no command', async (name) => {
  expect(await commandsFor(name)).toContain('login');
});
