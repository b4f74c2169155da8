import { constants } from 'node:os';
import { runCommand } from './run-command';

test('a command whose output is collected leaves the processor to the tests beside it', async () => {
  const { passed, output } = await runCommand('node', ['-p', "require('node:os').getPriority()"]);
  expect({ passed, priority: Number(output) }).toEqual({ passed: true, priority: constants.priority.PRIORITY_LOW });
});
