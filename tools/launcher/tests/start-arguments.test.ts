import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startHelp } from '../src/start-arguments';

test('npm start starts without arguments, says its settings when asked for help, and refuses every other argument', () => {
  expect(startHelp([])).toBeUndefined();
  expect(startHelp(['--help'])).toBe(startHelp(['-h']));
  expect(() => startHelp(['--port', '8080'])).toThrow('npm start takes no arguments, and was given --port 8080.');
  expect(() => startHelp(['--help', '--port'])).toThrow('was given --help --port');
});

test('the settings that help names are read', () => {
  const source = ['start-settings.ts', 'system/feeds.ts']
    .map((file) => readFileSync(join(import.meta.dirname, '../src', file), 'utf8'))
    .join();
  const named = [...(startHelp(['-h']) ?? '').matchAll(/^ {2}([A-Z_]+) /gm)].map(([, name]) => name);
  expect(named).toEqual(['PORT', 'DATA_DIR', 'FEED']);
  for (const name of named) expect(source).toContain(name);
});
