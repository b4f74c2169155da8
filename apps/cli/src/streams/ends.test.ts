import { TransportError } from '@market-state/client';
import { createConnectionReporter } from './ends';

const URL = 'http://127.0.0.1:8080';

function watch() {
  const lines: string[] = [];
  const onConnection = createConnectionReporter({ access: { url: URL, apiKey: '' } as never, say: (line) => void lines.push(line) });
  const fails = (code: string) => {
    const refused = Object.assign(new Error(`connect ${code}`), { code });
    onConnection({ state: 'waiting', waitMs: 1, cause: new TransportError('The connection failed.', '', 1, refused) });
  };
  return { lines, onConnection, fails };
}

test('the address and the cause are said at once, again when the cause changes, and that it is over', () => {
  const { lines, onConnection, fails } = watch();
  fails('ECONNREFUSED');
  fails('ECONNREFUSED');
  fails('EHOSTUNREACH');
  onConnection({ state: 'open' });
  onConnection({ state: 'open' });
  onConnection({ state: 'waiting', waitMs: 1, cause: undefined });
  expect(lines).toEqual([
    `cannot reach ${URL}: connect ECONNREFUSED; retrying`,
    `cannot reach ${URL}: connect EHOSTUNREACH; retrying`,
    `${URL} is reachable again`,
    `${URL} closed the connection; retrying`,
  ]);
});
