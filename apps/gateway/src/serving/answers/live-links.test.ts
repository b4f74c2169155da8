import { isServedRoute } from './live-links';

it.each([
  ['/api/public/market-state/latest', true],
  ['/api/public/market-state/latest?symbol=BTCUSD-PERP', true],
  ['/api/public/market-state/events/evt_1/evidence', true],
  ['/openapi.json', true],
  ['/openapiXjson', false],
  ['/api/public/market-state/events/evt_1/evidence/more', false],
  ['/api/public/market-state/events//evidence', false],
  // POST only.
  ['/api/public/market-state/feedback/packet', false],
])('%s', (route, isServed) => {
  expect(isServedRoute(route)).toBe(isServed);
});
