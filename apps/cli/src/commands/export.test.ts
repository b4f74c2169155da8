import { CliCommand } from '../arguments/cli-command';
import { withClientOptions } from '../client/settings';
import { EXPORT_JOBS } from '../reads/own-reads';
import { readReadSettings, withReadOptions } from '../reads/settings';
import { readOrderSettings, withOrderOptions } from './export';

function settingsOf(...args: readonly string[]) {
  const faults: string[] = [];
  const command = withClientOptions(withOrderOptions(new CliCommand('create'))).parse(args, { from: 'user' });
  const { order, format } = readOrderSettings([], command.opts(), (fault) => faults.push(fault));
  return { files: order['format'], printed: format, faults };
}

test('--format is the format of the files, --output how the job is printed', () => {
  expect(settingsOf('--format', 'csv')).toEqual({ files: 'csv', printed: undefined, faults: [] });
  expect(settingsOf('--format', 'csv', '--output', 'json')).toEqual({ files: 'csv', printed: 'json', faults: [] });
  expect(settingsOf('--output', 'csv')).toEqual({ files: 'parquet', printed: 'csv', faults: [] });
  const { faults } = settingsOf('--format', 'json', '--output', 'parquet');
  expect(faults.map((fault) => fault.split(' ')[0])).toEqual(['--format', '--output']);
});

test('a command that makes no files still takes --format for --output', () => {
  const command = withClientOptions(withReadOptions(new CliCommand('list'), [EXPORT_JOBS])).parse(['--format', 'csv'], { from: 'user' });
  const fail = (fault: string): never => {
    throw new Error(fault);
  };
  expect(readReadSettings(EXPORT_JOBS, [], command.opts(), fail).format).toBe('csv');
});
