import { formQuery, queryWords, readQuery, sentQuery, storedQuery, writeQuery } from './search-query';

const requested = new URLSearchParams('symbol=ETHUSD-PERP&q=stale+book&state=depth_watch&tag=depth%3Athin%3Ahot&tag=trades%3Abusy%3Ashort');

test('a search survives a round trip through its address', () => {
  const query = readQuery(requested);
  expect(query).toMatchObject({
    symbol: 'ETHUSD-PERP',
    q: 'stale book',
    state: 'depth_watch',
    tag: ['depth:thin:hot', 'trades:busy:short'],
    from: '',
  });
  expect(query === null ? '' : String(writeQuery(query))).toBe(String(requested));
  expect(readQuery(new URLSearchParams('saved=ssr_1'))).toBeNull();
  expect(readQuery(new URLSearchParams('q=x'))?.symbol).toBe('ALL');
});

test('only set conditions are sent, and a stored search reads back the same', () => {
  const query = readQuery(new URLSearchParams('q=absorption&severity_class=high_context'));
  if (query === null) throw new Error('no search');
  expect(sentQuery(query)).toEqual({ symbol: 'ALL', q: 'absorption', severity_class: 'high_context' });
  expect(storedQuery(sentQuery(query))).toEqual(query);
  expect(storedQuery({ state: 'depth_watch' }).symbol).toBe('BTCUSD-PERP');
});

test('form times are UTC, and tags are separated by spaces or commas', () => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ symbol: 'ALL', q: ' thin ', tag: 'a:b, c:d  e:f', from: '2026-11-25T10:00', to: '' }))
    form.set(name, value);
  expect(formQuery(form)).toMatchObject({ q: 'thin', tag: ['a:b', 'c:d', 'e:f'], from: '2026-11-25T10:00:00Z', to: '' });
});

test('the description of a search lists each condition', () => {
  const query = readQuery(requested);
  expect(query === null ? '' : queryWords({ ...query, from: '2026-11-25T10:00:00Z' })).toBe(
    '"stale book", Depth watch, depth:thin:hot, trades:busy:short; ETHUSD-PERP, from 2026-11-25 10:00:00 UTC',
  );
  expect(queryWords(storedQuery({ symbol: 'ALL' }))).toBe('every packet; all symbols');
});
