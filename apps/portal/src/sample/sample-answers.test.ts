import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAGES } from '../pages';
import { moveTo, type SampleAnswers, sampleFetch } from './sample-answers';

const sample: SampleAnswers = {
  recorded_utc: '2026-11-30T00:00:00.000Z',
  answers: [
    { path: '/latest', symbol: 'A', view: 'compact', body: { at: '2026-11-29T23:59:50.000Z', id: 'A compact' } },
    { path: '/latest', symbol: 'A', view: 'packet', body: { id: 'A packet' } },
    { path: '/events/evt_00000000000000000000000001/verify', body: { id: 'verified' } },
  ],
};
const bodyOf = async (path: string) => (await sampleFetch(sample)(`https://service.example${path}`)).json();

test('answers are moved by whole windows, so that they look as old as when they were recorded', () => {
  const [latest] = moveTo(Date.parse('2026-12-01T00:00:07.000Z'), sample).answers;
  expect(latest?.body).toMatchObject({ at: '2026-11-30T23:59:50.000Z' });
});

test('answers with digests keep their times', () => {
  const exact = { ...sample, exact: true };
  expect(moveTo(Date.now(), exact)).toBe(exact);
});

test('a call is answered by its path, symbol and view, and another event by the recorded one', async () => {
  expect(await bodyOf('/latest?symbol=A&view=packet')).toEqual({ id: 'A packet' });
  expect(await bodyOf('/latest?symbol=B&view=compact')).toMatchObject({ id: 'A compact' });
  expect(await bodyOf('/events/evt_00000000000000000000000002/verify')).toEqual({ id: 'verified' });
  expect((await sampleFetch(sample)('https://service.example/other')).status).toBe(404);
});

const folder = join(import.meta.dirname, 'answers');

test('each page behind the login has a sample, without keys or secrets', () => {
  const behind = Object.entries(PAGES).flatMap(([name, page]) => ('isOpen' in page ? [] : [`${name}.json`]));
  expect(readdirSync(folder).sort()).toEqual(behind.sort());
  for (const file of behind) expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/msk_(?:live|test)_[0-9A-Za-z]{20}|whsec_/);
});
