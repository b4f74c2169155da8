import { createErrorSummary } from './run-processes';

test('errors are reported with their cause, everything else only in the log', () => {
  const said: string[] = [];
  const summarise = createErrorSummary(
    'labeling',
    (line) => said.push(line),
    () => 0,
  );
  for (const line of [
    '{"level":"info","msg":"started"}',
    '{"level":"warn","msg":"not there yet"}',
    '{"level":"error","msg":"store failed","err":{"message":"connection refused"}}',
    '{"level":"fatal","msg":"start failed"}',
    '{"level":"error"',
    'plain text',
    '[1]',
  ]) {
    summarise(line);
  }
  expect(said).toEqual(['labeling: store failed: connection refused', 'labeling: start failed']);
});

test('invalid settings are reported by name', () => {
  const said: string[] = [];
  const summarise = createErrorSummary(
    'feed',
    (line) => said.push(line),
    () => 0,
  );
  summarise(
    '{"level":"fatal","faults":[{"variable":"FEED","message":"is played twice"},{"variable":"PORT","message":"is no ' +
      'port"}],"msg":"configuration is not valid"}',
  );
  expect(said).toEqual(['feed: configuration is not valid: FEED: is played twice; PORT: is no port']);
});

test('the same error is reported again only after 10 s', () => {
  let nowMs = 0;
  const said: number[] = [];
  const summarise = createErrorSummary(
    'feed',
    () => said.push(nowMs),
    () => nowMs,
  );
  for (nowMs of [0, 1, 9_999, 10_000, 15_000, 20_000]) summarise('{"level":"error","msg":"again"}');
  expect(said).toEqual([0, 10_000, 20_000]);
});
