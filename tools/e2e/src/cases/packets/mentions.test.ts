import { mentionsIn } from './mentions';

test('finds routes in fields, in sentences and in commands, with an adjacent method', () => {
  const found = mentionsIn({
    route: '/api/public/market-state/latest?symbol=BTCUSD-PERP',
    feedback: { method: 'POST', route: '/api/public/market-state/feedback/packet', then: ['/openapi.json'] },
    says: 'Open GET /api/public/data/gaps, or send POST /api/public/market-state/watchlists.',
    curl: "curl -X PATCH 'http://127.0.0.1:1/api/public/market-state/account/keys/{key_id}'",
    other: ['the file /srv/docs/page.md', 'guide/docs/page.md', '/etc/passwd', 'api/public', 3, null],
  });
  expect(found.map(({ method, target }) => `${method} ${target}`)).toEqual([
    'GET /api/public/market-state/latest?symbol=BTCUSD-PERP',
    'POST /api/public/market-state/feedback/packet',
    'POST /openapi.json',
    'GET /api/public/data/gaps',
    'POST /api/public/market-state/watchlists',
    'PATCH /api/public/market-state/account/keys/{key_id}',
  ]);
  expect(found[1]?.at).toBe('/feedback/route');
});
